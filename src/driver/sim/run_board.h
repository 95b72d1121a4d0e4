// Where the two halves of a run meet: the AICPU launch and the AICore launch of one run serial, queued on two streams in
// either order. Thread-safe.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/sim/executor.h"

namespace taskmill::sim {

class RunBoard {
 public:
  explicit RunBoard(Executor* executor) : executor_(executor) {}

  // Called by the stream that reached a launch; `half` holds one of the two programs. Returns when that half has ended.
  // A half waits for its partner; an AICore half also starts alone once somebody writes to its registers, which is how a
  // host tells the cores of a half-launched run to leave.
  Result<void> run(Processor processor, RunTicket::Program half);
  // A copy wrote to [address, address + bytes).
  void wrote(DeviceAddress address, uint64_t bytes);
  void abandon(const std::string& reason);

 private:
  struct Half {
    Processor processor;
    RunTicket::Program* program;
    std::shared_ptr<RunTicket> ticket;  // once its partner came
    bool poked = false;
  };
  struct Registers {
    DeviceAddress address;
    uint64_t bytes;
    uint64_t run_serial;
  };
  std::shared_ptr<RunTicket> meet(Processor processor, RunTicket::Program& half);

  Executor* const executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Half*> waiting_;  // by run serial; guarded by mutex_, as all below
  std::vector<Registers> registers_;   // of AICore halves between their launch and their end
  bool abandoned_ = false;
  std::string reason_;
};

}  // namespace taskmill::sim
