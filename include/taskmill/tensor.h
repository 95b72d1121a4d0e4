/// @file
/// Tensors as kernels and orchestrations see them. Included by device code: plain data, no heap, no exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace taskmill {

constexpr uint32_t kMaxDims = 5;            ///< highest rank of a tensor
constexpr uint32_t kMaxTaskTensors = 32;    ///< tensor arguments of one task
constexpr uint32_t kMaxTaskScalars = 16;    ///< scalar arguments of one task
constexpr uint32_t kMaxEntryTensors = 256;  ///< tensor arguments of one run
constexpr uint32_t kMaxEntryScalars = 128;  ///< scalar arguments of one run

/// Type of a tensor's elements. Numbers are the ecosystem's (API specification, section 1.3). The float8 types are those of the
/// OCP OFP8 (E4M3, finite and NaN only) and MX (E8M0: a power of two) specifications; float4 is MX's E2M1.
enum class DataType : uint8_t {
  kFloat32,
  kFloat16,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBfloat16,
  kInt64,
  kUint64,
  kUint16,
  kUint32,
  kBool,
  kFloat8E4M3fn,
  kFloat8E8M0,
  kFloat4E2M1,
};
constexpr uint32_t kDataTypeCount = 15;  ///< values of DataType

/// Bytes of one element; 0 for a value outside the enum. kFloat4E2M1 packs two values in its byte.
constexpr uint32_t element_bytes(DataType type) {
  constexpr uint8_t kBytes[kDataTypeCount] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1};
  const auto index = static_cast<uint32_t>(type);
  return index < kDataTypeCount ? kBytes[index] : 0;
}

/// "float32", "bfloat16", …, as numpy and ml_dtypes name them; "unknown" for a value outside the enum.
constexpr const char* data_type_name(DataType type) {
  constexpr const char* kNames[kDataTypeCount] = {"float32", "float16",  "int32",         "int16",       "int8",
                                                  "uint8",   "bfloat16", "int64",         "uint64",      "uint16",
                                                  "uint32",  "bool",     "float8_e4m3fn", "float8_e8m0", "float4_e2m1"};
  const auto index = static_cast<uint32_t>(type);
  return index < kDataTypeCount ? kNames[index] : "unknown";
}

/// Bits of a value of at most 8 bytes, zero-extended: what a scalar argument holds.
template <class T>
uint64_t to_u64(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
/// The value whose bits to_u64 gave.
template <class T>
T from_u64(uint64_t bits) {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// A buffer in device memory.
struct BufferHandle {
  uint64_t addr;  ///< device address of the buffer's first byte
};

/// What travels to a kernel: a strided view of a device buffer. Element (i0, i1, ...) lies at
/// buffer.addr + (start_offset + Σ i_d · strides[d]) · element_bytes(dtype). Its size and layout are the ecosystem's (API
/// specification, section 1.3).
// The runtime keeps descriptors on cache lines; the type asks for less, because g++ 12 does not align the returned object of a call
// whose result nobody uses.
struct TensorDescriptor {
  BufferHandle buffer;         ///< the whole buffer
  uint64_t start_offset;       ///< of the view's first element, in elements
  uint32_t shapes[kMaxDims];   ///< elements by dimension, outermost first
  uint32_t strides[kMaxDims];  ///< elements from one index to the next, each > 0
  uint8_t ndims;               ///< 1 to kMaxDims
  DataType dtype;              ///< of one element
  bool is_contiguous;          ///< strides are the row-major strides of shapes
  uint8_t reserved_[5];

  /// Number of elements.
  uint64_t numel() const {
    uint64_t count = 1;
    for (uint32_t d = 0; d < ndims; ++d) count *= shapes[d];
    return count;
  }
  /// Bytes of the elements, gaps between them left out.
  uint64_t nbytes() const { return numel() * element_bytes(dtype); }

  /// The whole of a row-major array. An extent of 0 counts as 1 in the strides, so that each is > 0.
  static TensorDescriptor row_major(uint64_t address, DataType dtype, const uint32_t* shapes, uint32_t ndims) {
    TensorDescriptor descriptor = {};
    descriptor.buffer.addr = address;
    descriptor.ndims = static_cast<uint8_t>(ndims);
    descriptor.dtype = dtype;
    descriptor.is_contiguous = true;
    uint64_t stride = 1;
    for (uint32_t d = ndims; d-- > 0;) {
      descriptor.shapes[d] = shapes[d];
      descriptor.strides[d] = static_cast<uint32_t>(stride);
      stride *= shapes[d] != 0 ? shapes[d] : 1;
    }
    return descriptor;
  }
};
static_assert(sizeof(TensorDescriptor) == 64 && std::is_trivially_copyable_v<TensorDescriptor>);

/// What an orchestration holds: a descriptor and what the runtime needs to recognise its root. Copy it freely; it stays
/// usable until the scope in which its buffer was made ends. Every view operation returns a new value; one that was asked
/// for something outside its parent is told by the submit that names the result (InvalidArgs).
struct Tensor : TensorDescriptor {
  uint64_t buffer_bytes;     ///< bytes of the whole buffer
  uint64_t run_serial;       ///< the run that made this value; 0: given by address
  uint32_t root;             ///< hint: where the runtime keeps the root's record
  uint32_t scope_serial;     ///< the scope that owns the buffer
  uint32_t scope_depth;      ///< its depth; 0 is the entry's scope
  uint32_t extent_overflow;  ///< nonzero: a view operation was given bounds outside its parent
  uint64_t owner_task;       ///< the task whose output this is; kNoTask for an entry argument
  uint8_t tensor_reserved_[24];

  /// Sub-box of this view: `shapes[d]` elements from `offsets[d]` in each of ndims dimensions. With an extent of 0 the
  /// result is empty, whatever the offsets.
  Tensor view(const uint32_t* view_shapes, const uint32_t* offsets) const {
    Tensor result = *this;
    bool empty = false;
    for (uint32_t d = 0; d < ndims; ++d) empty |= view_shapes[d] == 0;
    for (uint32_t d = 0; d < ndims; ++d) {
      if (!empty && (offsets[d] > shapes[d] || view_shapes[d] > shapes[d] - offsets[d])) result.extent_overflow = 1;
      if (!empty) result.start_offset += uint64_t{offsets[d]} * strides[d];
      result.shapes[d] = view_shapes[d];
    }
    result.is_contiguous = empty || result.strides_are_row_major();
    return result;
  }

  /// Rows [begin, begin + count) of dimension 0: the whole of a tile-major array's tiles, a contiguous byte interval.
  Tensor rows(uint32_t begin, uint32_t count = 1) const {
    uint32_t view_shapes[kMaxDims] = {}, offsets[kMaxDims] = {begin};
    for (uint32_t d = 1; d < ndims; ++d) view_shapes[d] = shapes[d];
    view_shapes[0] = count;
    return view(view_shapes, offsets);
  }

  /// Every `step`-th element from `begin` to before `end` in one dimension.
  Tensor slice(uint32_t dimension, uint32_t begin, uint32_t end, uint32_t step = 1) const {
    Tensor result = *this;
    const bool legal = dimension < ndims && begin <= end && end <= shapes[dimension] && step >= 1;
    // An extent of 1 or less takes no step, so its stride may stay.
    const uint32_t count = legal && begin < end ? (end - begin - 1) / step + 1 : 0;
    const uint64_t stride = count > 1 ? uint64_t{strides[dimension]} * step : 1;
    if (!legal || stride > UINT32_MAX) {
      result.extent_overflow = 1;
      return result;
    }
    if (count != 0) result.start_offset += uint64_t{begin} * strides[dimension];
    if (count > 1) result.strides[dimension] = static_cast<uint32_t>(stride);
    result.shapes[dimension] = count;
    result.is_contiguous = count == 0 || result.strides_are_row_major();
    return result;
  }

  /// Dimension d of the result is dimension order[d] of this view; `order` names each of the ndims dimensions once.
  Tensor permute(const uint32_t* order) const {
    Tensor result = *this;
    uint32_t named = 0;
    for (uint32_t d = 0; d < ndims; ++d) {
      if (order[d] >= ndims) continue;
      named |= 1u << order[d];
      result.shapes[d] = shapes[order[d]];
      result.strides[d] = strides[order[d]];
    }
    if (named != (1u << ndims) - 1) result.extent_overflow = 1;
    result.is_contiguous = numel() == 0 || result.strides_are_row_major();
    return result;
  }

  /// Dimensions a and b exchanged. REQUIRES: both below ndims.
  Tensor transpose(uint32_t a, uint32_t b) const {
    uint32_t order[kMaxDims] = {0, 1, 2, 3, 4};
    if (a < kMaxDims && b < kMaxDims) {
      order[a] = b;
      order[b] = a;
    }
    Tensor result = permute(order);
    if (a >= ndims || b >= ndims) result.extent_overflow = 1;
    return result;
  }

  /// The same elements under another shape. Needs a contiguous view and an equal element count.
  Tensor reshape(const uint32_t* new_shapes, uint32_t new_ndims) const {
    Tensor result = *this;
    uint64_t count = 1;
    const bool legal = is_contiguous && new_ndims >= 1 && new_ndims <= kMaxDims;
    if (!legal) {
      result.extent_overflow = 1;
      return result;
    }
    for (uint32_t d = new_ndims; d-- > 0;) {
      // A stride beyond 32 bits cannot be described, unless nothing is ever multiplied by it.
      if (count > UINT32_MAX && new_shapes[d] > 1) result.extent_overflow = 1;
      result.shapes[d] = new_shapes[d];
      result.strides[d] = static_cast<uint32_t>(count);
      if (__builtin_mul_overflow(count, uint64_t{new_shapes[d] != 0 ? new_shapes[d] : 1}, &count)) result.extent_overflow = 1;
    }
    result.ndims = static_cast<uint8_t>(new_ndims);
    if (result.numel() != numel()) result.extent_overflow = 1;
    return result;
  }

  /// Whether the elements lie without gaps in row-major order.
  bool strides_are_row_major() const {
    uint64_t expected = 1;
    for (uint32_t d = ndims; d-- > 0;) {
      if (strides[d] != expected) return false;
      expected *= shapes[d];
    }
    return true;
  }
};
static_assert(sizeof(Tensor) == 128 && std::is_trivially_copyable_v<Tensor>);

/// A tensor given by its address: a row-major array of these shapes in device memory of this run, which must lie within one
/// argument or one buffer that a task made; the submit that names it says so otherwise (InvalidArgs).
inline Tensor make_tensor(uint64_t address, const uint32_t* shapes, uint32_t ndims, DataType dtype = DataType::kFloat32) {
  Tensor tensor = {};
  bool legal = ndims >= 1 && ndims <= kMaxDims;
  uint64_t count = 1;
  for (uint32_t d = legal ? ndims : 0; d-- > 0;) {
    // As in reshape.
    legal &= count <= UINT32_MAX || shapes[d] <= 1;
    legal &= !__builtin_mul_overflow(count, uint64_t{shapes[d] != 0 ? shapes[d] : 1}, &count);
  }
  legal &= !__builtin_mul_overflow(count, uint64_t{8}, &count);
  static_cast<TensorDescriptor&>(tensor) = TensorDescriptor::row_major(address, dtype, shapes, legal ? ndims : 0);
  tensor.buffer_bytes = tensor.nbytes();
  tensor.extent_overflow = legal ? 0 : 1;
  tensor.owner_task = ~uint64_t{0};
  return tensor;
}

constexpr uint64_t kNoTask = ~uint64_t{0};  ///< no task's id

/// A request for a buffer that the runtime makes at submit: contiguous, 1,024-byte aligned, contents unspecified unless an
/// initial value is set.
struct TensorSpec {
  uint32_t shapes[kMaxDims];       ///< elements by dimension, outermost first
  uint32_t ndims;                  ///< 1 to kMaxDims
  DataType dtype;                  ///< of one element
  bool has_initial_value = false;  ///< whether initial_value counts
  uint64_t initial_value = 0;      ///< bits of each element, from the lowest

  /// `dim_count` extents, copied. A rank outside 1 to kMaxDims is told by the submit (InvalidArgs).
  TensorSpec(const uint32_t* dims, uint32_t dim_count, DataType type = DataType::kFloat32) : shapes{}, ndims(dim_count), dtype(type) {
    for (uint32_t d = 0; d < dim_count && d < kMaxDims; ++d) shapes[d] = dims[d];
  }

  /// Every element begins as the low bytes of `value`; the whole buffer is filled, up to its rounded size, before the task
  /// can run.
  template <class T>
  void set_initial_value(T value) {
    initial_value = to_u64(value);
    has_initial_value = true;
  }
};

}  // namespace taskmill
