// Runs from a source file to results.
#include <nlohmann/json.hpp>
#include <set>

#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

CallableSpec vector_f() {
  return callable("vector_f", {argument("a", Direction::kIn), argument("b", Direction::kIn), argument("f", Direction::kOut)}, 0,
                  {kernel(0, "add"), kernel(1, "add_scalar"), kernel(2, "multiply")});
}

RunConfig enough_for(const RunReport& report) {
  RunConfig config;
  for (uint32_t ring = 0; ring < kRingSets; ++ring) {
    config.task_window[ring] = report.rings[ring].task_slots.enough;
    config.argument_lines[ring] = report.rings[ring].argument_lines.enough;
    config.heap_bytes[ring] = report.rings[ring].heap_bytes.enough;
    config.edge_nodes[ring] = report.rings[ring].edge_nodes.enough;
  }
  return config;
}

using WorkerTest = BothExecutors;
INSTANTIATE_TEST_SUITE_P(Executors, WorkerTest, testing::ValuesIn(both_executors()), setting_name);

TEST_P(WorkerTest, a_kernel_runs_on_the_host_memory_that_it_was_given) {
  std::vector<float> in(1000), out(1000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const RunReport report = must_run(add(hello()), {host_tensor(in), host_tensor(out)});
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<float>(i) + 1.0f);
  EXPECT_EQ(report.tasks, 1u);
  EXPECT_EQ(report.copied_in_bytes, 4000u);
  EXPECT_EQ(report.copied_back_bytes, 4000u);
}

TEST_P(WorkerTest, a_kernel_runs_on_a_cube_core_with_a_scalar) {
  const CallableId id = add(callable("hello_cube", {argument("in", Direction::kIn), argument("out", Direction::kOut)}, 1,
                                     {kernel(1, "add_scalar", CoreType::kAic)}));
  std::vector<float> in(10, 1.0f), out(10);
  must_run(id, {host_tensor(in), host_tensor(out), uint64_t{0x4120'0000}});  // 10.0f
  EXPECT_EQ(out, std::vector<float>(10, 11.0f));
}

TEST_P(WorkerTest, nested_scopes_compute_f_of_a_and_b) {
  const CallableId id = add(vector_f());
  std::vector<float> a(16384, 2.0f), b(16384, 3.0f), f(16384);
  const RunReport report = must_run(id, {host_tensor(a), host_tensor(b), host_tensor(f)});
  EXPECT_EQ(f, std::vector<float>(16384, 6.0f * 7.0f + 5.0f));
  EXPECT_EQ(report.tasks, 5u);
}

TEST_P(WorkerTest, each_scope_depth_takes_room_from_rings_of_its_own_size) {
  std::vector<float> a(16384, 2.0f), b(16384, 3.0f), f(16384);
  RunConfig config;
  config.task_window = {32, 16, 8, 4};
  config.heap_bytes = {1 << 20, 2 << 20, 3 << 20, 1024};
  config.edge_nodes[1] = 77;
  const RunReport report = must_run(add(vector_f()), {host_tensor(a), host_tensor(b), host_tensor(f)}, config);
  EXPECT_EQ(f, std::vector<float>(16384, 6.0f * 7.0f + 5.0f));
  const uint64_t sizes[] = {31, 15, 7, 3}, tasks[] = {1, 1, 3, 0}, buffers[] = {1, 1, 2, 0};
  for (uint32_t ring = 0; ring < kRingSets; ++ring) {
    const RingReport& rings = report.rings[ring];
    EXPECT_EQ(rings.task_slots.size, sizes[ring]);
    EXPECT_EQ(rings.task_slots.peak, tasks[ring]);
    EXPECT_EQ(rings.heap_bytes.size, config.heap_bytes[ring]);
    EXPECT_EQ(rings.heap_bytes.peak, buffers[ring] * 65536);
    EXPECT_EQ(rings.argument_lines.size, 16 * (sizes[ring] + 1));
    EXPECT_EQ(rings.argument_lines.peak > 0, tasks[ring] > 0);
    EXPECT_EQ(rings.edge_nodes.size, ring == 1 ? 77u : 16'384u);
  }
}

TEST_P(WorkerTest, a_run_ends_in_rings_of_the_sizes_that_its_report_calls_enough) {
  std::vector<float> in(16, 1.0f), sum(16, 0.0f), a(16384, 2.0f), b(16384, 3.0f), f(16384);
  const CallableId streams = add(pairs()), nests = add(vector_f());
  const RunConfig small_streams = enough_for(must_run(streams, {host_tensor(in), host_tensor(sum), uint64_t{100}}));
  EXPECT_EQ(small_streams.task_window[1], 4u);
  sum.assign(16, 0.0f);
  must_run(streams, {host_tensor(in), host_tensor(sum), uint64_t{100}}, small_streams);
  EXPECT_EQ(sum, std::vector<float>(16, pairs_result(100, 1.0f)));
  must_run(nests, {host_tensor(a), host_tensor(b), host_tensor(f)},
           enough_for(must_run(nests, {host_tensor(a), host_tensor(b), host_tensor(f)})));
}

TEST_P(WorkerTest, a_device_tensor_is_used_where_it_lies) {
  std::vector<float> in(256, 5.0f), out(256), zeros(256, 0.0f);
  const DeviceAddress device_in = worker_->malloc(1024).value();
  const DeviceAddress device_out = worker_->malloc(1024).value();
  ASSERT_TRUE(worker_->copy_to(device_in, in.data(), 1024));
  const RunReport report =
      must_run(add(hello()), {DeviceTensor{device_in, {256}, DataType::kFloat32}, DeviceTensor{device_out, {256}, DataType::kFloat32}});
  EXPECT_EQ(report.copied_in_bytes + report.copied_back_bytes, 0u);
  ASSERT_TRUE(worker_->copy_from(out.data(), device_out, 1024));
  EXPECT_EQ(out, std::vector<float>(256, 6.0f));
  EXPECT_TRUE(worker_->free(device_in));
  EXPECT_TRUE(worker_->free(device_out));
}

TEST_P(WorkerTest, two_rows_of_one_device_buffer_are_input_and_output) {
  std::vector<float> rows(512, 1.0f);
  const DeviceAddress base = worker_->malloc(2048).value();
  ASSERT_TRUE(worker_->copy_to(base, rows.data(), 2048));
  must_run(add(hello()), {DeviceTensor{base, {256}, DataType::kFloat32}, DeviceTensor{base + 1024, {256}, DataType::kFloat32}});
  ASSERT_TRUE(worker_->copy_from(rows.data(), base, 2048));
  EXPECT_EQ(rows[255], 1.0f);
  EXPECT_EQ(rows[256], 2.0f);
}

TEST_P(WorkerTest, a_run_may_stream_many_more_tasks_than_its_window_holds) {
  std::vector<float> in(16, 1.0f), sum(16, 0.0f);
  RunConfig config;
  config.task_window = 8;
  config.heap_bytes = 4096;
  config.edge_nodes = 4;
  const RunReport report = must_run(add(pairs()), {host_tensor(in), host_tensor(sum), uint64_t{500}}, config);
  EXPECT_EQ(sum, std::vector<float>(16, pairs_result(500, 1.0f)));
  EXPECT_EQ(report.tasks, 1000u);
  EXPECT_LE(report.rings[1].task_slots.peak, 7u);
}

TEST_P(WorkerTest, runs_of_different_callables_alternate) {
  const CallableId first = add(hello()), second = add(pairs());
  std::vector<float> in(16, 1.0f), out(16);
  for (int round = 0; round < 5; ++round) {
    std::vector<float> sum(16, 0.0f);
    must_run(first, {host_tensor(in), host_tensor(out)});
    must_run(second, {host_tensor(in), host_tensor(sum), uint64_t{3}});
    EXPECT_EQ(sum, std::vector<float>(16, pairs_result(3, 1.0f)));
  }
}

TEST_P(WorkerTest, a_run_leaves_no_memory_behind_but_what_the_worker_keeps) {
  const CallableId id = add(hello());
  std::vector<float> in(1000), out(1000);
  must_run(id, {host_tensor(in), host_tensor(out)});
  const DeviceStatistics first = worker_->statistics();
  for (int round = 0; round < 3; ++round) must_run(id, {host_tensor(in), host_tensor(out)});
  EXPECT_EQ(worker_->statistics().live_allocations, first.live_allocations);
  EXPECT_EQ(worker_->statistics().live_bytes, first.live_bytes);
  EXPECT_EQ(worker_->statistics().live_events, first.live_events);
  EXPECT_EQ(worker_->statistics().live_streams, first.live_streams);
}

TEST_P(WorkerTest, registering_the_same_callable_again_gives_the_same_id_and_loads_nothing) {
  const CallableId first = add(hello());
  const uint64_t images = worker_->statistics().live_images;
  EXPECT_EQ(add(hello()).digest, first.digest);
  EXPECT_EQ(worker_->statistics().live_images, images);
  CallableSpec other = hello();
  other.signature[0].dtype = std::nullopt;
  EXPECT_NE(add(other).digest, first.digest);
}

TEST_P(WorkerTest, a_callable_is_unloaded_when_every_registration_was_taken_back) {
  const uint64_t images = worker_->statistics().live_images;
  const CallableId id = add(hello());
  EXPECT_EQ(add(hello()).digest, id.digest);
  ASSERT_TRUE(worker_->unregister_callable(id));
  expect_hello_works();
  ASSERT_TRUE(worker_->unregister_callable(id)) << "that of expect_hello_works";
  ASSERT_TRUE(worker_->unregister_callable(id));
  EXPECT_EQ(worker_->statistics().live_images, images);
  std::vector<float> in(64), out(64);
  expect_error(run(id, {host_tensor(in), host_tensor(out)}), ErrorCode::kUnknownCallable, id.digest);
  const Result<void> again = worker_->unregister_callable(id);
  ASSERT_FALSE(again);
  EXPECT_EQ(error_name(again.error().code), std::string("UnknownCallable"));
  expect_hello_works();
}

TEST_P(WorkerTest, a_trace_has_a_span_for_each_kernel_and_opens_as_json) {
  std::vector<float> in(16, 1.0f), sum(16, 0.0f);
  RunConfig config;
  config.trace = true;
  const RunReport report = must_run(add(pairs()), {host_tensor(in), host_tensor(sum), uint64_t{10}}, config);
  std::multiset<std::string> names;
  std::set<std::string> lanes;
  for (const TraceSpan& span : report.spans) {
    names.insert(span.name);
    lanes.insert(span.lane.substr(0, span.lane.find(' ')));
    EXPECT_LE(span.start_ns, span.end_ns);
  }
  EXPECT_EQ(names.count("add_scalar"), 10u);
  EXPECT_EQ(names.count("accumulate"), 10u);
  EXPECT_EQ(names.count("orchestration"), 1u);
  EXPECT_EQ(names.count("execute"), 1u);
  EXPECT_EQ(report.dropped_spans, 0u);
  EXPECT_TRUE(lanes.contains("AIV"));
  const std::filesystem::path file = shared_cache() / "trace.json";
  ASSERT_TRUE(write_trace(file, report.spans, report.dropped_spans));
  const nlohmann::json trace = nlohmann::json::parse(*read_file(file));
  EXPECT_GE(trace["traceEvents"].size(), report.spans.size());
}

TEST_P(WorkerTest, F20_a_trace_that_is_too_small_says_how_much_it_dropped) {
  std::vector<float> in(16, 1.0f), sum(16, 0.0f);
  RunConfig config;
  config.trace = true;
  config.trace_records_per_lane = 1;
  const RunReport report = must_run(add(pairs()), {host_tensor(in), host_tensor(sum), uint64_t{500}}, config);
  uint64_t kernels = 0;
  for (const TraceSpan& span : report.spans) kernels += span.name == "add_scalar" || span.name == "accumulate" ? 1 : 0;
  EXPECT_GT(report.dropped_spans, 0u);
  EXPECT_GE(kernels + report.dropped_spans, 1000u);
}

TEST_P(WorkerTest, the_chip_of_the_other_generation_runs_the_same_callable) {
  SimOptions sim = GetParam().sim;
  sim.arch = arch::ArchId::kA5;
  open(sim);
  EXPECT_EQ(worker_->device_info().cores, 108u);
  expect_hello_works();
}

TEST_P(WorkerTest, arguments_without_elements_are_valid) {
  std::vector<float> in, out;
  const RunReport report = must_run(add(hello()), {host_tensor(in), host_tensor(out)});
  EXPECT_EQ(report.tasks, 1u);
}

TEST_P(WorkerTest, a_buffer_gives_its_memory_back_when_its_owner_goes) {
  const uint64_t before = worker_->statistics().live_allocations;
  {
    Result<DeviceBuffer> first = DeviceBuffer::make(*worker_, 64), second = DeviceBuffer::make(*worker_, 32);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->bytes(), 64u);
    EXPECT_EQ(worker_->statistics().live_allocations, before + 2);
    const DeviceAddress kept = second->address();
    *first = *std::move(second);
    EXPECT_EQ(first->address(), kept);
    const DeviceBuffer moved = *std::move(first);
    EXPECT_EQ(moved.address(), kept);
    EXPECT_EQ(worker_->statistics().live_allocations, before + 2);  // the other one goes with `second`
  }
  EXPECT_EQ(worker_->statistics().live_allocations, before);
  EXPECT_EQ(DeviceBuffer::make(*worker_, 0).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(WorkerTest, a_buffer_may_outlive_the_device_of_its_worker) {
  const Result<DeviceBuffer> buffer = DeviceBuffer::make(*worker_, 64);
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(worker_->close());
}

TEST_P(WorkerTest, a_run_uses_buffers_where_they_lie_and_refuses_a_tensor_that_does_not_fit) {
  const CallableId id = add(hello());
  std::vector<float> values(16, 2.0f);
  const Result<DeviceBuffer> in = DeviceBuffer::make(*worker_, 64), out = DeviceBuffer::make(*worker_, 64);
  ASSERT_TRUE(in && out);
  ASSERT_TRUE(worker_->copy_to(in->address(), values.data(), 64));
  const RunReport report = must_run(id, {in->tensor({4, 4}), out->tensor({4, 4})});
  EXPECT_EQ(report.copied_in_bytes + report.copied_back_bytes, 0u);
  ASSERT_TRUE(worker_->copy_from(values.data(), out->address(), 64));
  EXPECT_EQ(values, std::vector<float>(16, 3.0f));
  expect_error(run(id, {in->tensor({17}), out->tensor({17})}), ErrorCode::kNotADeviceAddress, "68");
}

TEST(HostTensorTest, a_range_says_its_address_its_bytes_and_its_dtype) {
  const std::vector<int16_t> values(6);
  const HostTensor flat = host_tensor(values), shaped = host_tensor(values, {2, 3});
  EXPECT_EQ(flat.data, values.data());
  EXPECT_EQ(flat.bytes, 12u);
  EXPECT_EQ(flat.shape, std::vector<uint32_t>({6}));
  EXPECT_EQ(shaped.shape, std::vector<uint32_t>({2, 3}));
  EXPECT_EQ(shaped.dtype, DataType::kInt16);
}

TEST(HostTensorTest, a_cpp_type_has_the_dtype_of_its_size_and_sign) {
  EXPECT_EQ(data_type_of<float>(), DataType::kFloat32);
  EXPECT_EQ(data_type_of<bool>(), DataType::kBool);
  EXPECT_EQ(data_type_of<int8_t>(), DataType::kInt8);
  EXPECT_EQ(data_type_of<uint8_t>(), DataType::kUint8);
  EXPECT_EQ(data_type_of<uint16_t>(), DataType::kUint16);
  EXPECT_EQ(data_type_of<int32_t>(), DataType::kInt32);
  EXPECT_EQ(data_type_of<uint32_t>(), DataType::kUint32);
  EXPECT_EQ(data_type_of<int64_t>(), DataType::kInt64);
  EXPECT_EQ(data_type_of<uint64_t>(), DataType::kUint64);
}

TEST_P(WorkerTest, close_releases_the_device_and_every_later_call_says_so) {
  const CallableId id = add(hello());
  EXPECT_TRUE(worker_->is_open());
  ASSERT_TRUE(worker_->close());
  EXPECT_FALSE(worker_->is_open());
  const Result<void> again = worker_->close();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kClosed);
  EXPECT_EQ(again.error().message, "close: the worker was closed already");
  std::vector<float> in(4), out(4);
  expect_error(run(id, {host_tensor(in), host_tensor(out)}), ErrorCode::kClosed, "run: the worker was closed");
  EXPECT_EQ(worker_->malloc(16).error().message, "malloc: the worker was closed");
  EXPECT_EQ(worker_->free(16).error().code, ErrorCode::kClosed);
  EXPECT_EQ(worker_->copy_to(16, in.data(), 4).error().code, ErrorCode::kClosed);
  EXPECT_EQ(worker_->copy_from(in.data(), 16, 4).error().code, ErrorCode::kClosed);
  EXPECT_EQ(worker_->register_callable(hello()).error().code, ErrorCode::kClosed);
}

}  // namespace
}  // namespace taskmill::testing_support
