// Runs and calls that are given what they cannot use. Each leaves the worker as it was.
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

class BadRun : public SeededWorker {
 protected:
  void SetUp() override {
    SeededWorker::SetUp();
    hello_ = add(hello());
    must_run(hello_, {host_tensor(in_), host_tensor(out_)});
    before_ = worker_->statistics();
  }
  void TearDown() override {
    EXPECT_EQ(worker_->statistics().live_allocations, before_.live_allocations);
    EXPECT_EQ(worker_->statistics().live_bytes, before_.live_bytes);
    expect_hello_works();
  }

  CallableId hello_;
  DeviceStatistics before_;
  std::vector<float> in_ = std::vector<float>(16), out_ = std::vector<float>(16);
};

TEST_F(BadRun, a_wrong_argument_count_is_told) {
  expect_error(run(hello_, {host_tensor(in_)}), ErrorCode::kArgumentCount, "\"hello\" takes 2 tensors and 0 scalars, given 1 tensor");
}

TEST_F(BadRun, a_wrong_dtype_is_told) {
  HostTensor wrong = host_tensor(in_);
  wrong.dtype = DataType::kInt32;
  expect_error(run(hello_, {wrong, host_tensor(out_)}), ErrorCode::kArgumentType,
               "argument 0 (\"in\") of \"hello\" is int32, the signature says float32");
}

TEST_F(BadRun, a_short_buffer_is_told) {
  HostTensor shorter = host_tensor(out_);
  shorter.bytes = 60;
  expect_error(run(hello_, {host_tensor(in_), shorter}), ErrorCode::kBufferTooShort,
               "argument 1 (\"out\") of \"hello\": 16 float32 needs 64 bytes, the buffer has 60");
}

TEST_F(BadRun, an_unknown_callable_is_told) {
  expect_error(run(CallableId{"abc"}, {}), ErrorCode::kUnknownCallable,
               "callable \"abc\" is not registered with this worker (1 registered)");
}

TEST_F(BadRun, a_host_pointer_as_a_device_address_is_told) {
  const DeviceTensor wrong = {reinterpret_cast<uint64_t>(in_.data()), {16}, DataType::kFloat32};
  expect_error(run(hello_, {wrong, host_tensor(out_)}), ErrorCode::kNotADeviceAddress, "argument 0 (\"in\") of \"hello\": 0x");
  EXPECT_EQ(worker_->copy_to(wrong.address, in_.data(), 4).error().code, ErrorCode::kNotADeviceAddress);
  EXPECT_EQ(worker_->copy_from(in_.data(), wrong.address, 4).error().code, ErrorCode::kNotADeviceAddress);
  EXPECT_EQ(worker_->free(wrong.address).error().code, ErrorCode::kNotADeviceAddress);
}

TEST_F(BadRun, a_host_buffer_that_overlaps_another_in_part_is_told_by_both_names) {
  HostTensor front = host_tensor(in_), back = host_tensor(in_);
  front.shape = {12};
  back.data = in_.data() + 4;
  back.bytes = 48;
  back.shape = {12};
  expect_error(run(hello_, {front, back}), ErrorCode::kOverlappingArguments,
               "argument 0 (\"in\") of \"hello\" (48 bytes) and argument 1 (\"out\") of \"hello\" (48 bytes) share 32 bytes");
}

TEST_F(BadRun, an_illegal_ring_size_is_told) {
  RunConfig config;
  config.task_window = 100;
  expect_error(run(hello_, {host_tensor(in_), host_tensor(out_)}, config), ErrorCode::kInvalidArgument,
               "task_window of scope depth 0 is 100");
}

TEST_F(BadRun, memory_that_the_device_does_not_have_is_told_with_the_numbers) {
  const Result<DeviceAddress> address = worker_->malloc(uint64_t{1} << 60);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().code, ErrorCode::kOutOfDeviceMemory);
  EXPECT_NE(address.error().message.find("1,152,921,504,606,846,976"), std::string::npos) << address.error().message;
  RunConfig config;
  config.heap_bytes[0] = uint64_t{1} << 41;
  expect_error(run(hello_, {host_tensor(in_), host_tensor(out_)}, config), ErrorCode::kOutOfDeviceMemory, "2,199,828,561,920");
}

TEST_F(BadRun, an_allocation_of_no_bytes_is_told) { EXPECT_EQ(worker_->malloc(0).error().code, ErrorCode::kInvalidArgument); }

TEST_F(BadRun, a_second_free_is_told) {
  const DeviceAddress address = worker_->malloc(64).value();
  EXPECT_TRUE(worker_->free(address));
  EXPECT_EQ(worker_->free(address).error().code, ErrorCode::kNotADeviceAddress);
}

TEST_F(BadRun, a_null_pointer_to_copy_is_told) {
  const DeviceAddress address = worker_->malloc(64).value();
  EXPECT_EQ(worker_->copy_to(address, nullptr, 8).error().message, "copy_to: the source is a null pointer");
  EXPECT_EQ(worker_->copy_from(nullptr, address, 8).error().message, "copy_from: the destination is a null pointer");
  EXPECT_EQ(worker_->copy_to(address, in_.data(), 65).error().code, ErrorCode::kNotADeviceAddress);
  EXPECT_TRUE(worker_->free(address));
}

}  // namespace
}  // namespace taskmill::testing_support
