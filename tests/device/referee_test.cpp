// The referee of the other tests sees each breach that it is there for.
#include "referee.h"

#include <gtest/gtest.h>

#include "wire/token.h"

namespace taskmill::test {
namespace {

// One cluster: core 0 is its AIC, cores 1 and 2 its AIVs. A "pass" is what the test writes in between.
class RefereeTest : public testing::Test {
 protected:
  RefereeTest() {
    launch_.region = reinterpret_cast<uint64_t>(mailboxes_);
    referee_.begin(1, 1, registers_);
    for (wire::CoreRegisters& core : registers_) core.report(token(wire::kHelloSequence));
  }
  static uint32_t token(uint32_t sequence) { return wire::make_token(1, sequence); }
  template <class Pass>
  std::string after(Pass&& pass) {
    referee_.before_pass(launch_);
    pass();
    referee_.after_pass(launch_);
    return referee_.breaches();
  }
  void send(uint32_t core, uint32_t sequence) {
    EXPECT_EQ(after([&] { registers_[core].send(token(sequence)); }), "");
  }

  wire::CoreRegisters registers_[3] = {};
  wire::CoreMailbox mailboxes_[3] = {};
  wire::LaunchBlock launch_ = {};
  Referee referee_;
};

TEST_F(RefereeTest, sees_a_word_over_an_unacknowledged_one) {
  send(0, 1);
  EXPECT_EQ(after([&] { registers_[0].send(token(2)); }), "core 0 was sent a word over one that it has not acknowledged\n");
}

TEST_F(RefereeTest, sees_a_task_before_HELLO) {
  registers_[0].report(wire::make_token(255, 3) | wire::kFinished);
  EXPECT_EQ(after([&] { registers_[0].send(token(1)); }), "core 0 was given a task before its HELLO\n");
}

TEST_F(RefereeTest, sees_a_word_of_another_run_and_one_after_EXIT) {
  EXPECT_EQ(after([&] { registers_[0].send(wire::make_token(2, 1)); }), "core 0 was sent a word of another run\n");
  referee_.begin(1, 1, registers_);
  send(0, wire::kExitSequence);
  EXPECT_EQ(after([&] { registers_[0].send(token(1)); }), "core 0 was sent a word after EXIT\n");
}

TEST_F(RefereeTest, sees_a_skipped_sequence) {
  send(0, 1);
  registers_[0].report(token(1) | wire::kFinished);
  EXPECT_EQ(after([&] { registers_[0].send(token(3)); }), "core 0 skipped a sequence\n");
}

TEST_F(RefereeTest, sees_a_follower_while_another_core_of_the_shape_is_free) {
  send(1, 1);
  registers_[1].report(token(1));
  EXPECT_EQ(after([&] { registers_[1].send(token(2)); }), "core 1 was given a follower while a core of its shape was free\n");
}

TEST_F(RefereeTest, sees_a_payload_slot_rewritten_before_FIN) {
  send(0, 1);
  registers_[0].report(token(1));
  EXPECT_EQ(after([&] { mailboxes_[0].payload[1].task = 9; }), "core 0 had a payload slot rewritten before FIN of its occupant\n");
}

TEST_F(RefereeTest, lets_a_correct_pass_through) {
  for (uint32_t sequence = 1; sequence <= 4; ++sequence) {
    mailboxes_[0].payload[wire::payload_slot(sequence)].task = sequence;
    send(0, sequence);
    registers_[0].report(token(sequence) | wire::kFinished);
  }
  EXPECT_EQ(referee_.tokens(), 4u);
}

}  // namespace
}  // namespace taskmill::test
