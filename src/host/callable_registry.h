// The callables of one device: compiled, loaded, kept by digest. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "taskmill/host.h"
#include "toolchain/compiler.h"
#include "variant/tmr/host/device_buffer.h"

namespace taskmill {

// A registered callable: its signature, and where its parts were loaded.
struct Callable {
  CallableSpec spec;
  uint32_t registrations = 1;
  std::vector<uint64_t> functions;              // kernel entry addresses by id, 0 where there is none
  std::map<int32_t, std::string> kernel_names;  // by id
  uint64_t orchestration_run = 0;
  uint64_t orchestration_entry = 0;
  std::vector<tmr::OwnedHandle> images;
};

class CallableRegistry {
 public:
  CallableRegistry(Device& device, toolchain::Compiler& compiler) : device_(device), compiler_(compiler) {}

  // The same parts and signature again give the same id and load nothing.
  Result<CallableId> add(const CallableSpec& spec);
  // Takes one registration back; with the last one the callable is unloaded. UnknownCallable as of find.
  Result<void> remove(const CallableId& id);
  // UnknownCallable if it is not registered here. Valid until it is removed, or clear().
  Result<const Callable*> find(const CallableId& id) const;
  void clear() { callables_.clear(); }

 private:
  Result<std::vector<std::string>> compile(const CallableSpec& spec);
  Result<Callable> load(const CallableSpec& spec, const std::vector<std::string>& objects);
  Result<std::vector<uint64_t>> load_image(Callable* callable, ImageKind kind, const std::string& object, const std::string& label,
                                           std::vector<std::string> symbols);

  Device& device_;
  toolchain::Compiler& compiler_;
  std::map<std::string, Callable> callables_;  // by digest
};

}  // namespace taskmill
