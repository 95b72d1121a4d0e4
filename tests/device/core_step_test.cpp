#include "device/aicore/core_step.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "wire/token.h"

namespace taskmill::aicore {
namespace {

using wire::Step;

struct Call {
  uint64_t address;
  uint64_t bytes;
  bool covers(const void* object, uint64_t size) const {
    const auto begin = reinterpret_cast<uint64_t>(object);
    return address <= begin && begin + size <= address + bytes;
  }
};

int64_t seen_args[kArgumentSlots];
uint32_t cond_in_kernel;
wire::CoreRegisters* kernel_registers;
void spy_kernel(int64_t* args) {
  std::memcpy(seen_args, args, sizeof seen_args);
  cond_in_kernel = kernel_registers->answer();
}
void args_spoiling_kernel(int64_t* args) { std::memset(args, 0x5A, kArgumentSlots * sizeof *args); }

// One core of a chip with one cluster, without an AICPU: the test writes payloads and words itself.
class CoreStep : public testing::Test {
 protected:
  static constexpr uint32_t kCore = 2;
  static constexpr uint32_t kGeneration = 9;

  struct alignas(64) Region {
    wire::CoreMailbox mailboxes[3];
    std::byte lines[16][64];
  };

  CoreStep() {
    std::memset(static_cast<void*>(&region_), 0xEE, sizeof region_);
    launch_.run_serial = kGeneration;
    launch_.clusters = 1;
    context_.launch = &launch_;
    context_.port = &port_;
    context_.region = reinterpret_cast<uint64_t>(&region_);
    context_.registers = &registers_;
    context_.core = kCore;
    context_.lane = 1;
    kernel_registers = &registers_;
  }

  Step step() { return core_step(&context_); }
  wire::CoreMailbox& mailbox() { return region_.mailboxes[kCore]; }
  uint32_t token(uint32_t sequence, uint32_t generation = kGeneration) { return wire::make_token(generation, sequence); }

  wire::DispatchPayload& prepare(uint32_t sequence, void (*kernel)(int64_t*) = spy_kernel) {
    wire::DispatchPayload& payload = mailbox().payload[wire::payload_slot(sequence)];
    payload = {};
    payload.kernel = reinterpret_cast<uint64_t>(kernel);
    payload.block_num = 1;
    return payload;
  }

  // Two tensors in lines 1 (read) and 9 (written, outside the block) and one scalar; block at line 0.
  void prepare_arguments(wire::DispatchPayload* payload, const TensorDescriptor& read, const TensorDescriptor& written) {
    payload->arguments_offset = wire::line_base_offset(3);
    payload->arguments_bytes = 128;
    payload->tensor_count = 2;
    payload->scalar_count = 1;
    const std::array<wire::TensorSlot, 2> slots = {{{1, 0}, {9 | wire::kWrittenTensor, 0}}};
    std::memcpy(region_.lines[0], slots.data(), sizeof slots);
    const uint64_t scalar = 0x1234;
    std::memcpy(region_.lines[0] + sizeof slots, &scalar, sizeof scalar);
    std::memcpy(region_.lines[1], &read, sizeof read);
    std::memcpy(region_.lines[9], &written, sizeof written);
  }

  static TensorDescriptor vector_of(uint64_t address, uint32_t count) {
    TensorDescriptor d = {};
    d.buffer.addr = address;
    d.ndims = 1;
    d.shapes[0] = count;
    d.strides[0] = 1;
    d.dtype = DataType::kFloat32;
    return d;
  }

  static bool any_covers(const std::vector<Call>& calls, const void* object, uint64_t bytes) {
    for (const Call& call : calls) {
      if (call.covers(object, bytes)) return true;
    }
    return false;
  }

  static void note(std::vector<Call>* calls, const void* address, uint64_t bytes) {
    calls->push_back({reinterpret_cast<uint64_t>(address), bytes});
  }

  Region region_;
  wire::CoreRegisters registers_ = {};
  wire::LaunchBlock launch_ = {};
  wire::CoreContext context_ = {};
  std::vector<Call> invalidated_, cleaned_;
  bool cleaned_after_fin_ = false;
  wire::CorePort port_ = {
      .context = this,
      .dispatch = nullptr,
      .poll = nullptr,
      .news = nullptr,
      .publish = nullptr,
      .invalidate = [](void* self, const void* a, uint64_t n) { note(&static_cast<CoreStep*>(self)->invalidated_, a, n); },
      .clean =
          [](void* self, const void* a, uint64_t n) {
            auto& test = *static_cast<CoreStep*>(self);
            note(&test.cleaned_, a, n);
            test.cleaned_after_fin_ |= wire::is_finished(test.registers_.answer());
          },
      .now_ns = [](void*) { return uint64_t{0}; },
  };
};

TEST_F(CoreStep, says_HELLO_then_waits) {
  EXPECT_EQ(step(), Step::kProgress);
  EXPECT_EQ(registers_.answer(), token(wire::kHelloSequence));
  EXPECT_EQ(step(), Step::kIdle);
}

TEST_F(CoreStep, acknowledges_runs_and_finishes_in_two_steps) {
  step();
  prepare(1);
  registers_.send(token(1));
  EXPECT_EQ(step(), Step::kProgress);
  EXPECT_EQ(registers_.answer(), token(1));
  EXPECT_EQ(step(), Step::kProgress);
  EXPECT_EQ(cond_in_kernel, token(1));
  EXPECT_EQ(registers_.answer(), token(1) | wire::kFinished);
  EXPECT_EQ(step(), Step::kIdle) << "the same word is no new dispatch";
}

TEST_F(CoreStep, F15_a_word_of_another_generation_is_not_taken) {
  registers_.send(token(1, kGeneration - 1));
  step();
  EXPECT_EQ(step(), Step::kIdle);
  registers_.send(token(wire::kExitSequence, kGeneration - 1));
  EXPECT_EQ(step(), Step::kIdle);
  registers_.send(token(wire::kExitSequence, 255));
  EXPECT_EQ(step(), Step::kIdle);
  EXPECT_EQ(registers_.answer(), token(wire::kHelloSequence));
  registers_.send(token(wire::kExitSequence));
  EXPECT_EQ(step(), Step::kDone);
  EXPECT_EQ(step(), Step::kDone);
}

TEST_F(CoreStep, EXIT_written_before_the_core_starts_is_taken_after_HELLO) {
  registers_.send(token(wire::kExitSequence));
  EXPECT_EQ(step(), Step::kProgress);
  EXPECT_EQ(registers_.answer(), token(wire::kHelloSequence));
  EXPECT_EQ(step(), Step::kDone);
}

TEST_F(CoreStep, a_gated_dispatch_waits_for_its_own_token_in_the_gate_word) {
  step();
  prepare(1).gated = 1;
  registers_.open_gate(token(1, kGeneration - 1));
  registers_.send(token(1));
  EXPECT_EQ(step(), Step::kIdle);
  EXPECT_EQ(registers_.answer(), token(wire::kHelloSequence)) << "not acknowledged behind a closed gate";
  registers_.open_gate(token(1));
  EXPECT_EQ(step(), Step::kProgress);
  EXPECT_EQ(registers_.answer(), token(1));
}

TEST_F(CoreStep, EXIT_wins_over_an_open_gate) {
  step();
  prepare(1).gated = 1;
  registers_.send(token(1));
  EXPECT_EQ(step(), Step::kIdle);
  registers_.open_gate(token(1));
  registers_.send(token(wire::kExitSequence));
  EXPECT_EQ(step(), Step::kDone);
  EXPECT_EQ(registers_.answer(), token(wire::kHelloSequence));
}

TEST_F(CoreStep, passes_descriptors_scalars_and_contexts) {
  step();
  wire::DispatchPayload& payload = prepare(1);
  prepare_arguments(&payload, vector_of(0x1000, 1), vector_of(0x2000, 1));
  payload.block_idx = 3;
  payload.block_num = 4;
  registers_.send(token(1));
  step();
  step();
  EXPECT_EQ(tensor(seen_args, 0).buffer.addr, 0x1000u);
  EXPECT_EQ(tensor(seen_args, 1).buffer.addr, 0x2000u);
  EXPECT_EQ(seen_args[2], 0x1234);
  EXPECT_EQ(block_idx(seen_args), 3);
  EXPECT_EQ(block_num(seen_args), 4);
  EXPECT_EQ(sub_block_id(seen_args), 1);
}

TEST_F(CoreStep, forgets_what_it_reads_before_it_reads_it) {
  step();
  wire::DispatchPayload& payload = prepare(1);
  prepare_arguments(&payload, vector_of(0x1000, 1), vector_of(0x2000, 1));
  registers_.send(token(1));
  step();
  EXPECT_TRUE(any_covers(invalidated_, &payload, sizeof payload));
  step();
  EXPECT_TRUE(any_covers(invalidated_, region_.lines[0], 128)) << "the block and the descriptors behind it";
  EXPECT_TRUE(any_covers(invalidated_, region_.lines[9], 64)) << "a root's descriptor lies elsewhere";
}

TEST_F(CoreStep, cleans_what_the_kernel_wrote_and_the_slab_before_FIN) {
  step();
  wire::DispatchPayload& payload = prepare(1, args_spoiling_kernel);
  TensorDescriptor strided = vector_of(0x2000, 10);
  strided.strides[0] = 3;
  strided.start_offset = 2;
  prepare_arguments(&payload, vector_of(0x1000, 10), strided);
  registers_.send(token(1));
  step();
  step();
  EXPECT_TRUE(any_covers(cleaned_, reinterpret_cast<const void*>(0x2008), 28 * 4)) << "first to last element";
  EXPECT_FALSE(any_covers(cleaned_, reinterpret_cast<const void*>(0x1000), 4)) << "an input was not written";
  EXPECT_TRUE(any_covers(cleaned_, &mailbox().slab[1], sizeof(wire::CompletionSlab)));
  EXPECT_FALSE(cleaned_after_fin_);
}

TEST_F(CoreStep, a_tensor_without_elements_is_not_cleaned) {
  step();
  wire::DispatchPayload& payload = prepare(1);
  prepare_arguments(&payload, vector_of(0x1000, 1), vector_of(0x2000, 0));
  registers_.send(token(1));
  step();
  step();
  EXPECT_EQ(cleaned_.size(), 1u) << "the slab alone";
}

TEST_F(CoreStep, clears_its_slab_before_each_kernel) {
  step();
  prepare(1);
  mailbox().slab[1].error_code = 77;
  registers_.send(token(1));
  step();
  step();
  EXPECT_EQ(mailbox().slab[1].error_code, 0);
}

TEST_F(CoreStep, TRAP_leaves_signal_and_address_in_the_slab_of_the_dispatch_that_died) {
  step();
  prepare(2);
  registers_.send(token(2));
  step();
  core_trap(&context_, 11, 0xDEAD);
  EXPECT_EQ(mailbox().slab[0].signal, 11u);
  EXPECT_EQ(mailbox().slab[0].fault_address, 0xDEADu);
  EXPECT_TRUE(any_covers(cleaned_, &mailbox().slab[0], sizeof(wire::CompletionSlab)));
  EXPECT_EQ(registers_.answer(), token(wire::kExitSequence));
  EXPECT_EQ(step(), Step::kDone);
}

}  // namespace
}  // namespace taskmill::aicore
