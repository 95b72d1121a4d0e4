// A slot on a fake device, and arguments for its runs.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/equal_rings.h"
#include "variant/fake_device.h"
#include "variant/tmr/host/run.h"

namespace taskmill::tmr {

using testing_support::FakeDevice;

// `memory` as a one-dimensional float32 argument.
inline EntryArgument host_argument(std::vector<float>& memory, bool reads, bool writes, const char* label = "an argument") {
  EntryArgument argument;
  argument.label = label;
  argument.address = reinterpret_cast<uint64_t>(memory.data());
  argument.bytes = memory.size() * sizeof(float);
  argument.reads = reads;
  argument.writes = writes;
  argument.shape[0] = static_cast<uint32_t>(memory.size());
  argument.ndims = 1;
  return argument;
}

inline EntryArgument device_argument(DeviceAddress address, uint32_t floats, bool writes, const char* label = "a device argument") {
  EntryArgument argument;
  argument.label = label;
  argument.address = address;
  argument.bytes = uint64_t{floats} * sizeof(float);
  argument.on_device = true;
  argument.reads = true;
  argument.writes = writes;
  argument.shape[0] = floats;
  argument.ndims = 1;
  return argument;
}

class RunTest : public testing::Test {
 protected:
  RunTest() {
    inputs_.sizes = test::equal_rings({.task_window = 16, .argument_lines = 256, .edge_nodes = 16, .reserved = 0, .heap_bytes = 4096});
    inputs_.functions = {0, 11, 0, 33};
    inputs_.scalars = {7};
  }
  void SetUp() override { slot_ = *RunSlot::open(device_, programs_); }

  // IN, OUT and INOUT, in this order.
  void add_one_of_each_direction() {
    inputs_.tensors.push_back(host_argument(in_, true, false, "the IN argument"));
    inputs_.tensors.push_back(host_argument(out_, false, true, "the OUT argument"));
    inputs_.tensors.push_back(host_argument(inout_, true, true, "the INOUT argument"));
  }
  wire::EntryTensor entry(size_t index) const {
    wire::EntryTensor entry;
    std::memcpy(&entry, slot_->image().tables.data() + index * sizeof entry, sizeof entry);
    return entry;
  }

  FakeDevice device_;
  const Programs programs_ = {{HandleKind::kImage, 1001}, {HandleKind::kImage, 1002}, 1};
  std::unique_ptr<RunSlot> slot_;
  RunInputs inputs_;
  std::vector<float> in_ = std::vector<float>(100, 1.0f);
  std::vector<float> out_ = std::vector<float>(200, 2.0f);
  std::vector<float> inout_ = std::vector<float>(300, 3.0f);
};

}  // namespace taskmill::tmr
