#include <fmt/format.h>

#include <chrono>

#include "support/log.h"
#include "support/text.h"
#include "variant/tmr/host/run.h"

namespace taskmill::tmr {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{100};           // of waiting for an event, between looks at the device's health
constexpr milliseconds kProbeLimit{10};       // for the helper stream, which has no work: a fault surfaces, nothing else can
constexpr milliseconds kCollectLimit{1'000};  // for a stream whose event is complete
constexpr int kLeaveSlices = 50;              // an ended program's stragglers may take this long

// A fault that no event shows surfaces at a synchronise; the helper stream is nobody's, so the run's own pair is left alone.
Result<void> probe(const RunSlot& slot) {
  Result<void> probed = slot.device().synchronize(slot.helper_stream(), kProbeLimit);
  if (!probed && probed.error().code == ErrorCode::kTimedOut) return {};
  return probed;
}

Result<wire::ResultBlock> read_result(const RunSlot& slot) {
  wire::ResultBlock result = {};
  TASKMILL_TRY(
      slot.device().copy({reinterpret_cast<uint64_t>(&result), slot.result().address(), sizeof result, CopyKind::kDeviceToHost}, Handle{}));
  return result;
}

// The word only: the rest is being written until it is there.
bool has_result(const RunSlot& slot, const RunBindings& run) {
  uint64_t word = 0;
  return slot.device().copy({reinterpret_cast<uint64_t>(&word), slot.result().address(), sizeof word, CopyKind::kDeviceToHost}, Handle{}) &&
         word == run.serial;
}

bool is_complete(const RunSlot& slot, Handle event) {
  const Result<bool> complete = slot.device().query(event);
  return complete && *complete;
}

// Waits for an event. Once ended() holds only stragglers are waited for, and those for a bounded time: false when it ran out.
template <class Ended>
Result<bool> await_event(const RunSlot& slot, Handle event, Ended ended) {
  for (int straggling = 0; straggling < kLeaveSlices;) {
    Result<void> reached = slot.device().synchronize(event, kSlice);
    if (reached) return true;
    if (reached.error().code != ErrorCode::kTimedOut) return tl::unexpected(std::move(reached).error());
    TASKMILL_TRY(probe(slot));
    if (ended()) ++straggling;
  }
  return false;
}

bool timed_out(const Result<void>& synchronised) { return !synchronised && synchronised.error().code == ErrorCode::kTimedOut; }

// For events that no result word vouches for: the run's streams are asked. A fault tells more than a time-out.
Result<void> collect(const RunSlot& slot) {
  Result<void> aicore = slot.device().synchronize(slot.aicore_stream(), kCollectLimit);
  Result<void> aicpu = slot.device().synchronize(slot.aicpu_stream(), kCollectLimit);
  return aicore || (timed_out(aicore) && !aicpu) ? aicpu : aicore;
}

tl::unexpected<Error> no_result(const RunSlot& slot, const RunBindings& run) {
  const Result<void> collected = collect(slot);
  if (!collected && !timed_out(collected)) return tl::unexpected(collected.error());
  return fail(ErrorCode::kDeviceFault, fmt::format("run {} ended on the device without writing its result", run.serial));
}

// An error is no proof that the run has left.
Result<std::optional<wire::ResultBlock>> await_run(RunSlot& slot, RunBindings& run) {
  // Cores leave when the AICPU program tells them to, at the end of a run; without that its launch was lost or it died.
  const auto ended = [&] { return has_result(slot, run) || is_complete(slot, slot.aicore_event()); };
  TASKMILL_ASSIGN(const bool aicpu_left, await_event(slot, slot.aicpu_event(), ended));
  if (!slot.device().info().runs_programs) {
    TASKMILL_TRY(collect(slot));
    return std::nullopt;
  }
  TASKMILL_ASSIGN(const wire::ResultBlock result, read_result(slot));
  if (result.run_serial != run.serial) return no_result(slot, run);
  if (!aicpu_left) {
    give_up_run(slot, run, "the run ended and its orchestration did not return");
  } else if (!result.stuck_cores.empty()) {
    give_up_run(slot, run, fmt::format("{} did not leave the run", text::counted(result.stuck_cores.count(), "core")));
  } else {
    TASKMILL_ASSIGN(const bool aicore_left, await_event(slot, slot.aicore_event(), [] { return true; }));
    if (!aicore_left) give_up_run(slot, run, "cores did not leave a run that ended");
  }
  return result;
}

}  // namespace

Result<std::optional<wire::ResultBlock>> wait_run(RunSlot& slot, RunBindings& run) {
  Result<std::optional<wire::ResultBlock>> result = await_run(slot, run);
  if (!result) cancel_run(slot, run);
  return result;
}

}  // namespace taskmill::tmr
