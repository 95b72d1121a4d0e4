// Tensors as kernels and orchestrations see them. Included by device code: plain data, no heap, no exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace taskmill {

constexpr uint32_t kMaxDims = 5;
constexpr uint32_t kMaxTaskTensors = 32;  // tensor arguments of one task
constexpr uint32_t kMaxTaskScalars = 16;  // scalar arguments of one task
constexpr uint32_t kMaxEntryTensors = 256;
constexpr uint32_t kMaxEntryScalars = 128;

// Numbers are the ecosystem's (API specification, section 1.3).
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
constexpr uint32_t kDataTypeCount = 15;

// Bytes of one element; 0 for a value outside the enum. kFloat4E2M1 packs two values in its byte.
constexpr uint32_t element_bytes(DataType type) {
  constexpr uint8_t kBytes[kDataTypeCount] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1};
  const auto index = static_cast<uint32_t>(type);
  return index < kDataTypeCount ? kBytes[index] : 0;
}

constexpr const char* data_type_name(DataType type) {
  constexpr const char* kNames[kDataTypeCount] = {"float32", "float16",  "int32",         "int16",       "int8",
                                                  "uint8",   "bfloat16", "int64",         "uint64",      "uint16",
                                                  "uint32",  "bool",     "float8_e4m3fn", "float8_e8m0", "float4_e2m1"};
  const auto index = static_cast<uint32_t>(type);
  return index < kDataTypeCount ? kNames[index] : "unknown";
}

struct BufferHandle {
  uint64_t addr;  // device address of the buffer's first byte
};

// What travels to a kernel: a strided view of a device buffer. Element (i0, i1, ...) lies at
// buffer.addr + (start_offset + Σ i_d · strides[d]) · element_bytes(dtype). The runtime keeps descriptors on cache lines; the
// type asks for less, because g++ 12 does not align the returned object of a call whose result nobody uses.
struct TensorDescriptor {
  BufferHandle buffer;
  uint64_t start_offset;  // elements
  uint32_t shapes[kMaxDims];
  uint32_t strides[kMaxDims];  // elements, each > 0
  uint8_t ndims;               // 1 to kMaxDims
  DataType dtype;
  bool is_contiguous;  // strides are the row-major strides of shapes
  uint8_t reserved_[5];

  uint64_t numel() const {
    uint64_t count = 1;
    for (uint32_t d = 0; d < ndims; ++d) count *= shapes[d];
    return count;
  }
  uint64_t nbytes() const { return numel() * element_bytes(dtype); }

  // The whole of a row-major array. An extent of 0 counts as 1 in the strides, so that each is > 0.
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

// What an orchestration holds: a descriptor and what the runtime needs to recognise its root. Copy it freely; it stays
// usable until the scope in which its buffer was made ends. Every view operation returns a new value.
struct Tensor : TensorDescriptor {
  uint64_t buffer_bytes;  // size of the whole buffer
  uint64_t run_serial;    // the run that made this value
  uint32_t root;          // hint: where the runtime keeps the root's record
  uint32_t scope_serial;  // the scope that owns the buffer
  uint32_t scope_depth;
  uint32_t extent_overflow;  // nonzero: a view operation was given bounds outside its parent; told at submit
  uint64_t owner_task;       // the task whose output this is; kNoTask for an entry argument
  uint8_t tensor_reserved_[24];

  // Sub-box of this view: `shapes[d]` elements from `offsets[d]` in each of ndims dimensions.
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

  // Rows [begin, begin + count) of dimension 0: the whole of a tile-major array's tiles, a contiguous byte interval.
  Tensor rows(uint32_t begin, uint32_t count = 1) const {
    uint32_t view_shapes[kMaxDims] = {}, offsets[kMaxDims] = {begin};
    for (uint32_t d = 1; d < ndims; ++d) view_shapes[d] = shapes[d];
    view_shapes[0] = count;
    return view(view_shapes, offsets);
  }

  // The same elements under another shape. Needs a contiguous view and an equal element count, else told at submit.
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
      if (__builtin_mul_overflow(count, uint64_t{new_shapes[d]}, &count)) result.extent_overflow = 1;
    }
    result.ndims = static_cast<uint8_t>(new_ndims);
    if (count != numel()) result.extent_overflow = 1;
    return result;
  }

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

constexpr uint64_t kNoTask = ~uint64_t{0};

// A request for a buffer that the runtime makes at submit: contiguous, 1,024-byte aligned, contents unspecified.
struct TensorSpec {
  uint32_t shapes[kMaxDims];
  uint32_t ndims;
  DataType dtype;

  TensorSpec(const uint32_t* dims, uint32_t dim_count, DataType type = DataType::kFloat32) : shapes{}, ndims(dim_count), dtype(type) {
    for (uint32_t d = 0; d < dim_count && d < kMaxDims; ++d) shapes[d] = dims[d];
  }
};

}  // namespace taskmill
