// The tensor that orchestrations hold: views against an enumeration of their elements.
#include "taskmill/tensor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

static_assert(sizeof(TensorDescriptor) == 64);
static_assert(offsetof(TensorDescriptor, buffer) == 0 && offsetof(TensorDescriptor, start_offset) == 8);
static_assert(offsetof(TensorDescriptor, shapes) == 16 && offsetof(TensorDescriptor, strides) == 36);
static_assert(offsetof(TensorDescriptor, ndims) == 56 && offsetof(TensorDescriptor, dtype) == 57);
static_assert(offsetof(TensorDescriptor, is_contiguous) == 58);
static_assert(sizeof(Tensor) == 128);

Tensor row_major(const std::vector<uint32_t>& shape) {
  Tensor tensor = {};
  tensor.ndims = static_cast<uint8_t>(shape.size());
  tensor.dtype = DataType::kFloat32;
  tensor.is_contiguous = true;
  uint32_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    tensor.shapes[d] = shape[d];
    tensor.strides[d] = stride;
  }
  return tensor;
}

std::vector<uint64_t> elements(const Tensor& tensor) {
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < tensor.numel(); ++i) {
    uint64_t element = tensor.start_offset, rest = i;
    for (uint32_t d = tensor.ndims; d-- > 0; rest /= tensor.shapes[d]) element += rest % tensor.shapes[d] * tensor.strides[d];
    all.push_back(element);
  }
  return all;
}

TEST(Tensor, a_view_of_a_view_names_the_elements_of_the_sub_box) {
  Random random(8);
  for (int round = 0; round < 500; ++round) {
    const std::vector<uint32_t> shape = {random.between(1, 6), random.between(1, 6), random.between(1, 6)};
    Tensor tensor = row_major(shape);
    uint32_t begin[3] = {}, count[3] = {shape[0], shape[1], shape[2]};
    for (int depth = 0; depth < 2; ++depth) {
      uint32_t offsets[3], extents[3];
      for (int d = 0; d < 3; ++d) {
        offsets[d] = random.below(count[d]);
        extents[d] = random.between(1, count[d] - offsets[d]);
        begin[d] += offsets[d];
        count[d] = extents[d];
      }
      tensor = tensor.view(extents, offsets);
    }
    std::vector<uint64_t> expected;
    for (uint32_t i = 0; i < count[0]; ++i) {
      for (uint32_t j = 0; j < count[1]; ++j) {
        for (uint32_t k = 0; k < count[2]; ++k) {
          expected.push_back((uint64_t{begin[0] + i} * shape[1] + begin[1] + j) * shape[2] + begin[2] + k);
        }
      }
    }
    EXPECT_EQ(tensor.extent_overflow, 0u);
    EXPECT_EQ(elements(tensor), expected);
  }
}

TEST(Tensor, rows_are_contiguous_and_a_column_is_not) {
  const Tensor tensor = row_major({4, 8});
  EXPECT_TRUE(tensor.rows(1, 2).is_contiguous);
  EXPECT_EQ(tensor.rows(1, 2).start_offset, 8u);
  EXPECT_EQ(tensor.rows(1, 2).nbytes(), 64u);
  const uint32_t column[] = {4, 1}, offsets[] = {0, 3};
  EXPECT_FALSE(tensor.view(column, offsets).is_contiguous);
}

TEST(Tensor, a_view_outside_its_parent_is_marked_and_stays_marked) {
  const Tensor tensor = row_major({4, 8});
  EXPECT_NE(tensor.rows(3, 2).extent_overflow, 0u);
  EXPECT_NE(tensor.rows(5, 1).extent_overflow, 0u);
  EXPECT_NE(tensor.rows(~0u, 2).extent_overflow, 0u);
  EXPECT_NE(tensor.rows(3, 2).rows(0, 1).extent_overflow, 0u);
  EXPECT_EQ(tensor.rows(4, 0).extent_overflow, 0u);
}

TEST(Tensor, a_zero_extent_is_legal_whatever_its_offsets) {
  const Tensor tensor = row_major({4, 8});
  const uint32_t shape[] = {0, 8}, offsets[] = {1000, 1000};
  const Tensor empty = tensor.view(shape, offsets);
  EXPECT_EQ(empty.extent_overflow, 0u);
  EXPECT_EQ(empty.numel(), 0u);
  EXPECT_EQ(empty.start_offset, 0u);
}

TEST(Tensor, reshape_keeps_the_elements_and_marks_another_count) {
  const Tensor tensor = row_major({4, 6}).rows(1, 2);
  const uint32_t flat[] = {12}, other[] = {3, 2, 2}, wrong[] = {13};
  EXPECT_EQ(elements(tensor.reshape(flat, 1)), elements(tensor));
  EXPECT_EQ(elements(tensor.reshape(other, 3)), elements(tensor));
  EXPECT_EQ(tensor.reshape(other, 3).extent_overflow, 0u);
  EXPECT_NE(tensor.reshape(wrong, 1).extent_overflow, 0u);
  EXPECT_NE(tensor.reshape(flat, 0).extent_overflow, 0u);
  EXPECT_NE(tensor.reshape(flat, 6).extent_overflow, 0u);
  const uint32_t column[] = {2, 1}, offsets[] = {0, 0}, two[] = {2};
  EXPECT_NE(tensor.view(column, offsets).reshape(two, 1).extent_overflow, 0u);
}

TEST(Tensor, reshape_marks_a_stride_that_32_bits_cannot_hold) {
  const Tensor tensor = row_major({1u << 17, 1u << 17});
  const uint32_t halves[] = {2, 1u << 16, 1u << 17}, one[] = {1, 1u << 17, 1u << 17}, wraps[] = {1u << 31, 1u << 31, 1u << 31};
  EXPECT_NE(tensor.reshape(halves, 3).extent_overflow, 0u);
  EXPECT_EQ(tensor.reshape(one, 3).extent_overflow, 0u);
  EXPECT_NE(tensor.reshape(wraps, 3).extent_overflow, 0u);
}

TEST(DataType, has_a_size_and_a_name_for_each_number_and_none_beyond) {
  for (uint32_t i = 0; i < kDataTypeCount; ++i) {
    EXPECT_GT(element_bytes(static_cast<DataType>(i)), 0u);
    EXPECT_STRNE(data_type_name(static_cast<DataType>(i)), "unknown");
  }
  EXPECT_EQ(element_bytes(static_cast<DataType>(kDataTypeCount)), 0u);
  EXPECT_STREQ(data_type_name(static_cast<DataType>(kDataTypeCount)), "unknown");
  EXPECT_EQ(element_bytes(DataType::kBfloat16), 2u);
}

Tensor tensor_of(std::initializer_list<uint32_t> shape) {
  return make_tensor(4096, shape.begin(), static_cast<uint32_t>(shape.size()), DataType::kUint8);
}

TEST(Tensor, a_slice_takes_every_step_th_element_from_begin_to_before_end) {
  const Tensor slice = tensor_of({4, 10}).slice(1, 2, 9, 3);
  EXPECT_EQ(slice.shapes[1], 3u);
  EXPECT_EQ(slice.strides[1], 3u);
  EXPECT_EQ(slice.start_offset, 2u);
  EXPECT_FALSE(slice.is_contiguous);
  EXPECT_EQ(slice.extent_overflow, 0u);
  const Tensor one = tensor_of({5}).slice(0, 0, 5, UINT32_MAX);
  EXPECT_EQ(one.shapes[0], 1u);
  EXPECT_EQ(one.extent_overflow, 0u);
  EXPECT_EQ(tensor_of({5}).slice(0, 3, 3).shapes[0], 0u);
}

TEST(Tensor, a_slice_outside_its_parent_is_marked) {
  const Tensor parent = tensor_of({4, 10});
  for (const Tensor& slice : {parent.slice(2, 0, 1), parent.slice(1, 5, 4), parent.slice(1, 0, 11), parent.slice(1, 0, 1, 0)}) {
    EXPECT_EQ(slice.extent_overflow, 1u);
  }
}

TEST(Tensor, permute_and_transpose_exchange_extents_and_strides) {
  const Tensor parent = tensor_of({2, 3, 4});
  const uint32_t order[] = {2, 0, 1}, twice[] = {0, 0, 1}, outside[] = {0, 1, 3};
  const Tensor permuted = parent.permute(order);
  EXPECT_EQ(permuted.shapes[0], 4u);
  EXPECT_EQ(permuted.strides[0], 1u);
  EXPECT_EQ(permuted.strides[1], 12u);
  EXPECT_FALSE(permuted.is_contiguous);
  EXPECT_EQ(parent.transpose(0, 2).strides[0], 1u);
  for (const Tensor& bad : {parent.permute(twice), parent.permute(outside), parent.transpose(0, 3)}) EXPECT_EQ(bad.extent_overflow, 1u);
}

TEST(Tensor, an_empty_view_stays_contiguous_and_has_strides) {
  const uint32_t shape[] = {2, 0, 3}, swap[] = {1, 0};
  const Tensor empty = tensor_of({3, 0});
  const Tensor reshaped = empty.permute(swap).reshape(shape, 3);
  EXPECT_EQ(reshaped.extent_overflow, 0u);
  EXPECT_TRUE(reshaped.is_contiguous);
  for (uint32_t d = 0; d < 3; ++d) EXPECT_GT(reshaped.strides[d], 0u);
}

}  // namespace
}  // namespace taskmill::test
