// Compiles kernels and orchestrations to shared objects that a device loads, through a cache of earlier results.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/home.h"
#include "taskmill/orchestration.h"
#include "taskmill/result.h"
#include "toolchain/object_cache.h"
#include "toolchain/system_compiler.h"

namespace taskmill::toolchain {

constexpr const char* kKernelSymbol = "kernel_entry";

enum class SourceKind : uint8_t { kKernel, kOrchestration };

struct CompileRequest {
  SourceKind kind = SourceKind::kKernel;
  std::string label;  // for messages: kernel "swiglu" (id 2)
  std::filesystem::path source;
  std::string symbol = kKernelSymbol;   // what the object must export with C linkage
  CoreType core_type = CoreType::kAiv;  // kernels only
  Flags flags;                          // after the default ones
};

struct CompileStats {
  uint64_t hits = 0;    // taken from the cache
  uint64_t misses = 0;  // compiled
};

class Compiler {
 public:
  // `cache_folder` empty: default_cache_folder().
  static Result<Compiler> open(Home home, std::filesystem::path cache_folder);
  Compiler(Compiler&& other) noexcept;

  // The object's bytes. IoFailed: no such source. CompileFailed: the compiler's own words, the user's file and line first.
  // MissingSymbol: names what the object exports instead.
  Result<std::string> compile(const CompileRequest& request);
  // In the order of the requests, on all CPUs.
  std::vector<Result<std::string>> compile_all(const std::vector<CompileRequest>& requests);

  CompileStats stats() const;
  const ObjectCache& cache() const { return cache_; }

 private:
  struct Preprocessed {
    std::vector<std::string> texts;
    std::string key;
  };
  Compiler(Home home, SystemCompiler compiler, ObjectCache cache);
  Flags flags_of(const CompileRequest& request) const;
  Result<Preprocessed> preprocess(const CompileRequest& request, const Flags& flags) const;
  Result<std::string> find_or_build(const CompileRequest& request);
  Result<std::string> build(const CompileRequest& request, const Flags& flags, const Preprocessed& preprocessed) const;

  Home home_;
  SystemCompiler compiler_;
  ObjectCache cache_;
  std::atomic<uint64_t> hits_ = 0;  // relaxed: counters that only reports read
  std::atomic<uint64_t> misses_ = 0;
};

// $TASKMILL_CACHE_DIR, else $XDG_CACHE_HOME/taskmill, else ~/.cache/taskmill.
Result<std::filesystem::path> default_cache_folder();

}  // namespace taskmill::toolchain
