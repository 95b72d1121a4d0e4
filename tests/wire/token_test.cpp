// Contract 4's number space.
#include "wire/token.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random.h"
#include "wire/mailbox.h"

namespace taskmill::test {
namespace {

using namespace wire;

TEST(Token, generation_sequence_and_state_do_not_disturb_each_other) {
  Random random(6);
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t generation = random.between(1, 255), sequence = random.between(0, kSequenceMask);
    const uint32_t token = make_token(generation, sequence);
    EXPECT_EQ(token_generation(token), generation);
    EXPECT_EQ(token_sequence(token), sequence);
    EXPECT_FALSE(is_finished(token));
    EXPECT_TRUE(is_finished(token | kFinished));
    EXPECT_EQ(token_generation(token | kFinished), generation);
    EXPECT_EQ(token_sequence(token | kFinished), sequence);
    EXPECT_NE(token, kNoToken);
  }
}

TEST(Token, sequences_run_from_1_and_leave_out_hello_and_exit) {
  EXPECT_EQ(kExitSequence, (1u << 23) - 1);
  EXPECT_EQ(kMaxSequence, (1u << 23) - 2);
  EXPECT_EQ(next_sequence(1), 2u);
  EXPECT_EQ(next_sequence(kMaxSequence - 1), kMaxSequence);
  EXPECT_EQ(next_sequence(kMaxSequence), 1u);
  EXPECT_NE(kHelloSequence, kExitSequence);
}

TEST(Token, the_payload_slot_changes_with_every_sequence_and_at_the_wrap_too) {
  for (uint32_t sequence = 1; sequence < 1000; ++sequence) {
    EXPECT_NE(payload_slot(sequence), payload_slot(next_sequence(sequence)));
  }
  EXPECT_NE(payload_slot(kMaxSequence), payload_slot(next_sequence(kMaxSequence)));
}

TEST(Token, F15_255_runs_in_a_row_have_255_generations_none_of_them_0) {
  for (const uint64_t first : {uint64_t{1}, uint64_t{1000}, uint64_t{1} << 40}) {
    std::set<uint32_t> seen;
    for (uint64_t run = first; run < first + 255; ++run) {
      EXPECT_GE(run_generation(run), 1u);
      EXPECT_LE(run_generation(run), 255u);
      seen.insert(run_generation(run));
    }
    EXPECT_EQ(seen.size(), 255u);
  }
  EXPECT_EQ(run_generation(1), 1u);
}

TEST(CoreRegisters, each_side_reads_what_the_other_wrote) {
  CoreRegisters registers = {};
  registers.send(5);
  registers.open_gate(6);
  registers.report(7);
  EXPECT_EQ(registers.received(), 5u);
  EXPECT_EQ(registers.gate(), 6u);
  EXPECT_EQ(registers.answer(), 7u);
}

TEST(TensorSlot, the_line_and_whether_it_is_written_share_a_word) {
  const TensorSlot read = {12345, 0}, written = {kWrittenTensor | 12345, 0};
  EXPECT_EQ(read.line(), 12345u);
  EXPECT_FALSE(read.written());
  EXPECT_EQ(written.line(), 12345u);
  EXPECT_TRUE(written.written());
}

}  // namespace
}  // namespace taskmill::test
