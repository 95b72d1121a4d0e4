#include "host/run_arguments.h"

#include <gtest/gtest.h>

#include "host/programs.h"

namespace taskmill::testing_support {
namespace {

class RunArgumentsTest : public testing::Test {
 protected:
  RunArgumentsTest() { allocations_.add(0x10000, 1024); }
  HostTensor tensor(std::vector<uint32_t> shape, uint64_t bytes, DataType dtype = DataType::kFloat32) {
    return {memory_, bytes, std::move(shape), dtype};
  }
  void expect_refused(std::vector<Argument> arguments, ErrorCode code, const std::string& message) {
    const Result<RunArguments> checked = check_run_arguments(spec_, arguments, allocations_);
    ASSERT_FALSE(checked);
    EXPECT_EQ(error_name(checked.error().code), std::string(error_name(code)));
    EXPECT_EQ(checked.error().message, message);
  }

  CallableSpec spec_ = callable(
      "decode", {argument("q", Direction::kIn, std::nullopt), argument("kv_cache", Direction::kInout, DataType::kBfloat16)}, 1, {});
  AllocationTable allocations_;
  float memory_[64] = {};
  const HostTensor good_q_ = tensor({4}, 16);
  const HostTensor good_kv_ = tensor({4, 2}, 16, DataType::kBfloat16);
};

TEST_F(RunArgumentsTest, good_arguments_are_described_with_their_directions) {
  const RunArguments checked = *check_run_arguments(spec_, std::vector<Argument>{good_q_, good_kv_, uint64_t{9}}, allocations_);
  ASSERT_EQ(checked.tensors.size(), 2u);
  EXPECT_TRUE(checked.tensors[0].reads);
  EXPECT_FALSE(checked.tensors[0].writes);
  EXPECT_TRUE(checked.tensors[1].reads);
  EXPECT_TRUE(checked.tensors[1].writes);
  EXPECT_EQ(checked.tensors[1].bytes, 16u);
  EXPECT_EQ(checked.tensors[1].shape[1], 2u);
  EXPECT_EQ(checked.tensors[1].label, "argument 1 (\"kv_cache\") of \"decode\"");
  EXPECT_EQ(checked.scalars, std::vector<uint64_t>{9});
}

TEST_F(RunArgumentsTest, a_wrong_count_is_told_with_what_is_wanted_and_given) {
  expect_refused({good_q_}, ErrorCode::kArgumentCount, "\"decode\" takes 2 tensors and 1 scalar, given 1 tensor and 0 scalars");
  expect_refused({good_q_, good_kv_, uint64_t{1}, uint64_t{2}}, ErrorCode::kArgumentCount,
                 "\"decode\" takes 2 tensors and 1 scalar, given 2 tensors and 2 scalars");
}

TEST_F(RunArgumentsTest, a_scalar_in_a_tensors_place_and_the_reverse_are_named) {
  expect_refused({good_q_, uint64_t{1}, good_kv_}, ErrorCode::kArgumentType,
                 "argument 1 (\"kv_cache\") of \"decode\" is a tensor, given a scalar");
  expect_refused({good_q_, good_kv_, good_q_}, ErrorCode::kArgumentType,
                 "argument 2 of \"decode\" is a scalar, given a tensor: tensors come first");
}

TEST_F(RunArgumentsTest, a_dtype_that_the_signature_does_not_say_is_named) {
  expect_refused({good_q_, tensor({4}, 16), uint64_t{1}}, ErrorCode::kArgumentType,
                 "argument 1 (\"kv_cache\") of \"decode\" is float32, the signature says bfloat16");
  expect_refused({tensor({4}, 16, static_cast<DataType>(77)), good_kv_, uint64_t{1}}, ErrorCode::kArgumentType,
                 "argument 0 (\"q\") of \"decode\": dtype 77 does not exist");
}

TEST_F(RunArgumentsTest, a_buffer_that_is_shorter_than_its_tensor_is_told_with_both_sizes) {
  expect_refused({good_q_, tensor({3, 128, 1024}, 524'288, DataType::kBfloat16), uint64_t{1}}, ErrorCode::kBufferTooShort,
                 "argument 1 (\"kv_cache\") of \"decode\": 3 x 128 x 1024 bfloat16 needs 786,432 bytes, the buffer has 524,288");
}

TEST_F(RunArgumentsTest, a_null_pointer_is_named_unless_there_is_nothing_to_read) {
  HostTensor null = good_q_;
  null.data = nullptr;
  expect_refused({null, good_kv_, uint64_t{1}}, ErrorCode::kInvalidArgument,
                 "argument 0 (\"q\") of \"decode\": its data is a null pointer");
  null.shape = {0, 5};
  EXPECT_TRUE(check_run_arguments(spec_, std::vector<Argument>{null, good_kv_, uint64_t{1}}, allocations_));
}

TEST_F(RunArgumentsTest, a_rank_outside_one_to_five_is_named) {
  expect_refused({tensor({}, 16), good_kv_, uint64_t{1}}, ErrorCode::kInvalidArgument,
                 "argument 0 (\"q\") of \"decode\" has rank 0, a tensor has rank 1 to 5");
  expect_refused({tensor({1, 1, 1, 1, 1, 1}, 16), good_kv_, uint64_t{1}}, ErrorCode::kInvalidArgument,
                 "argument 0 (\"q\") of \"decode\" has rank 6, a tensor has rank 1 to 5");
}

TEST_F(RunArgumentsTest, B5_extents_that_overflow_are_refused) {
  expect_refused({tensor({2, 65536, 65536}, 16), good_kv_, uint64_t{1}}, ErrorCode::kInvalidArgument,
                 "argument 0 (\"q\") of \"decode\": 2 x 65536 x 65536 float32 is more than strides of 32 bits can reach");
  const uint32_t big = 0xFFFF'FFFF;
  expect_refused(
      {tensor({big, big, big}, 16), good_kv_, uint64_t{1}}, ErrorCode::kInvalidArgument,
      "argument 0 (\"q\") of \"decode\": 4294967295 x 4294967295 x 4294967295 float32 is more than strides of 32 bits can reach");
}

TEST_F(RunArgumentsTest, a_host_pointer_as_a_device_address_is_refused) {
  const auto address = reinterpret_cast<uint64_t>(memory_);
  const Result<RunArguments> checked = check_run_arguments(
      spec_, std::vector<Argument>{DeviceTensor{address, {4}, DataType::kFloat32}, good_kv_, uint64_t{1}}, allocations_);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kNotADeviceAddress);
  EXPECT_EQ(checked.error().message.find("argument 0 (\"q\") of \"decode\": 0x"), 0u) << checked.error().message;
}

TEST_F(RunArgumentsTest, a_device_tensor_must_end_inside_its_allocation) {
  expect_refused({DeviceTensor{0x10000 + 512, {200}, DataType::kFloat32}, good_kv_, uint64_t{1}}, ErrorCode::kNotADeviceAddress,
                 "argument 0 (\"q\") of \"decode\": 800 bytes at 0x10200 reach beyond the allocation of 1,024 bytes at 0x10000, which has "
                 "512 left there");
}

}  // namespace
}  // namespace taskmill::testing_support
