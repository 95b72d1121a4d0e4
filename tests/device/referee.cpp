#include "referee.h"

#include <cstring>

#include "arch/traits.h"
#include "wire/token.h"

namespace taskmill::test {

using wire::token_generation;
using wire::token_sequence;

Referee& Referee::current() {
  static Referee referee;
  return referee;
}

void Referee::begin(uint64_t run_serial, uint32_t clusters, wire::CoreRegisters* registers) {
  *this = {};
  generation_ = wire::run_generation(run_serial);
  clusters_ = clusters;
  registers_ = registers;
  cores_.resize(3 * clusters);
}

void Referee::before_pass(const wire::LaunchBlock& launch) {
  const auto* mailboxes = reinterpret_cast<const wire::CoreMailbox*>(launch.region);
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    cores_[core].word = registers_[core].received();
    for (uint32_t slot = 0; slot < 2; ++slot) cores_[core].payload[slot] = mailboxes[core].payload[slot];
  }
}

void Referee::after_pass(const wire::LaunchBlock& launch) {
  new_followers_.clear();
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    check_payload(launch, core);
    const uint32_t word = registers_[core].received();
    if (word != cores_[core].word) check_word(core, word);
  }
  for (uint32_t core : new_followers_) {
    if (!shape_is_busy(core)) breach(core, "was given a follower while a core of its shape was free");
  }
}

// COND says that the core has taken `token`, or a later one.
bool Referee::answered(uint32_t core, uint32_t token) const { return (registers_[core].answer() & ~wire::kFinished) == token; }

bool Referee::finished(uint32_t core, uint32_t token) const { return registers_[core].answer() == (token | wire::kFinished); }

bool Referee::started(uint32_t core) const { return token_generation(registers_[core].answer()) == generation_; }

bool Referee::idle(uint32_t core) const {
  const uint32_t token = cores_[core].token;
  return token == wire::kNoToken || finished(core, token);
}

bool Referee::shape_is_busy(uint32_t core) const {
  for (uint32_t other = 0; other < cores_.size(); ++other) {
    const bool same_shape = arch::core_is_aic(other, clusters_) == arch::core_is_aic(core, clusters_);
    if (same_shape && idle(other)) return false;
  }
  return true;
}

void Referee::check_word(uint32_t core, uint32_t word) {
  Core& c = cores_[core];
  if (token_generation(word) != generation_) return breach(core, "was sent a word of another run");
  if (c.exited) return breach(core, "was sent a word after EXIT");
  const bool waits = c.token != wire::kNoToken && !answered(core, c.token);
  if (waits) return breach(core, "was sent a word over one that it has not acknowledged");
  if (token_sequence(word) == wire::kExitSequence) {
    c.exited = true;
    return;
  }
  if (!started(core)) breach(core, "was given a task before its HELLO");
  if (c.token != wire::kNoToken && token_sequence(word) != wire::next_sequence(token_sequence(c.token))) {
    breach(core, "skipped a sequence");
  }
  ++tokens_;
  if (c.token != wire::kNoToken && !finished(core, c.token)) {
    ++followers_;
    new_followers_.push_back(core);
  }
  c.token = word;
}

// A slot's last occupant is the token before the newest, or the newest itself.
void Referee::check_payload(const wire::LaunchBlock& launch, uint32_t core) {
  const Core& c = cores_[core];
  if (c.token == wire::kNoToken) return;
  const auto& mailbox = reinterpret_cast<const wire::CoreMailbox*>(launch.region)[core];
  const uint32_t newest = wire::payload_slot(token_sequence(c.token));
  for (uint32_t slot = 0; slot < 2; ++slot) {
    if (std::memcmp(&mailbox.payload[slot], &c.payload[slot], sizeof c.payload[slot]) == 0) continue;
    const bool free = slot == newest ? finished(core, c.token) : answered(core, c.token);
    if (!free) breach(core, "had a payload slot rewritten before FIN of its occupant");
  }
}

void Referee::breach(uint32_t core, const char* what) { breaches_ += "core " + std::to_string(core) + " " + what + "\n"; }

}  // namespace taskmill::test
