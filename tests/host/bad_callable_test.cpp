// Callables that cannot be registered.
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

class BadCallable : public SeededWorker {
 protected:
  void expect_refused(const CallableSpec& spec, ErrorCode code, const std::string& part) {
    const uint64_t images = worker_->statistics().live_images;
    const Result<CallableId> id = worker_->register_callable(spec);
    ASSERT_FALSE(id);
    EXPECT_EQ(error_name(id.error().code), std::string(error_name(code))) << id.error().message;
    EXPECT_NE(id.error().message.find(part), std::string::npos) << id.error().message << "\nlacks: " << part;
    EXPECT_EQ(worker_->statistics().live_images, images);
  }
};

TEST_F(BadCallable, a_kernel_that_does_not_compile_is_told_by_its_file_and_line) {
  expect_refused(callable("hello", {}, 0, {kernel(1, "does_not_compile")}), ErrorCode::kCompileFailed,
                 "kernel \"does_not_compile\" (id 1) of \"hello\": " + program("does_not_compile.cpp").string() + ":3:");
  expect_hello_works();
}

TEST_F(BadCallable, a_kernel_without_its_entry_is_told_with_what_it_exports) {
  expect_refused(callable("hello", {}, 0, {kernel(1, "other_name")}), ErrorCode::kMissingSymbol,
                 "other_name.cpp does not export \"kernel_entry\"; it exports another_entry");
}

TEST_F(BadCallable, an_orchestration_without_its_function_is_told_with_what_it_exports) {
  CallableSpec spec = hello();
  spec.function = "goodbye";
  expect_refused(spec, ErrorCode::kMissingSymbol,
                 "graphs.cpp does not export \"goodbye\"; it exports after_scope, allocates_nothing, allocates_what_exists, ");
}

TEST_F(BadCallable, a_source_that_does_not_exist_is_named) {
  expect_refused(callable("hello", {}, 0, {kernel(1, "nowhere")}), ErrorCode::kIoFailed,
                 "there is no source file " + program("nowhere.cpp").string());
}

TEST_F(BadCallable, kernel_ids_must_be_in_range_and_unique) {
  expect_refused(callable("hello", {}, 0, {kernel(1'024, "add")}), ErrorCode::kInvalidArgument,
                 "kernel \"add\" (id 1024) of \"hello\": the id must be 0 to 1,023");
  expect_refused(callable("hello", {}, 0, {kernel(-1, "add")}), ErrorCode::kInvalidArgument, "the id must be 0 to 1,023");
  expect_refused(callable("hello", {}, 0, {kernel(1, "add"), kernel(1, "multiply")}), ErrorCode::kInvalidArgument,
                 "kernel \"multiply\" (id 1) of \"hello\": another kernel of \"hello\" has the same id");
}

TEST_F(BadCallable, a_callable_needs_a_name_and_a_function) {
  CallableSpec spec = hello();
  spec.name.clear();
  expect_refused(spec, ErrorCode::kInvalidArgument, "a callable needs a name");
  spec = hello();
  spec.function.clear();
  expect_refused(spec, ErrorCode::kInvalidArgument, "\"hello\" names no orchestration function");
}

TEST_F(BadCallable, a_callable_and_each_of_its_kernels_needs_a_source) {
  CallableSpec spec = hello();
  spec.orchestration.clear();
  expect_refused(spec, ErrorCode::kInvalidArgument, "\"hello\" names no orchestration source");
  spec = callable("hello", {}, 0, {kernel(1, "add")});
  spec.kernels[0].source.clear();
  expect_refused(spec, ErrorCode::kInvalidArgument, "kernel \"add\" (id 1) of \"hello\" names no source file");
}

TEST_F(BadCallable, more_arguments_than_a_run_can_have_are_told_with_the_limit) {
  CallableSpec spec = hello();
  spec.signature.resize(257);
  expect_refused(spec, ErrorCode::kInvalidArgument, "\"hello\" has 257 tensor arguments, at most 256 are possible");
  spec = hello();
  spec.scalar_count = 129;
  expect_refused(spec, ErrorCode::kInvalidArgument, "\"hello\" has 129 scalar arguments, at most 128 are possible");
}

TEST_F(BadCallable, dependency_rules_that_do_not_exist_are_told) {
  CallableSpec spec = hello();
  spec.dependency_rules = static_cast<DependencyRules>(2);
  expect_refused(spec, ErrorCode::kInvalidArgument, "\"hello\": dependency rules 2 are neither native (0) nor the ecosystem's (1)");
}

TEST_F(BadCallable, values_outside_their_enums_are_named) {
  CallableSpec spec = hello();
  spec.signature[1].direction = static_cast<Direction>(7);
  expect_refused(spec, ErrorCode::kInvalidArgument, "argument 1 (\"out\") of \"hello\": direction 7");
  spec = hello();
  spec.signature[0].dtype = static_cast<DataType>(99);
  expect_refused(spec, ErrorCode::kInvalidArgument, "argument 0 (\"in\") of \"hello\": dtype 99 does not exist");
  spec = hello();
  spec.kernels[0].core_type = static_cast<CoreType>(5);
  expect_refused(spec, ErrorCode::kInvalidArgument, "core type 5 is neither AIC (0) nor AIV (1)");
}

}  // namespace
}  // namespace taskmill::testing_support
