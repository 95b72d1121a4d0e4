#include "toolchain/compiler.h"

#include <fmt/format.h>

#include <cstdlib>

#include "support/cpus.h"
#include "support/digest.h"
#include "support/file.h"
#include "toolchain/diagnostics.h"
#include "toolchain/symbols.h"
#include "wire/launch_block.h"
#include "wire/program.h"

namespace taskmill::toolchain {
namespace {

namespace fs = std::filesystem;

// What an object agrees on with the device programs; a change makes every cached object a stranger.
std::string interface_versions() {
  return fmt::format("launch {} program {} orchestration {}", wire::kLaunchVersion, wire::kProgramVersion, kOrchestrationOpsVersion);
}

// -z defs: a function that nobody defines is the linker's error here, not the loader's later. -fno-gnu-unique: two objects
// that hold the same inline variable keep one each, as two kernels on a chip would.
const char* const kCommonFlags[] = {"-std=c++20", "-fPIC", "-shared", "-fvisibility=default", "-fno-gnu-unique", "-Wl,-z,defs"};

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

Result<fs::path> default_cache_folder() {
  if (const char* folder = environment("TASKMILL_CACHE_DIR")) return fs::path(folder);
  if (const char* caches = environment("XDG_CACHE_HOME")) return fs::path(caches) / "taskmill";
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "taskmill";
  return fail(ErrorCode::kIoFailed, "no folder for compiled kernels: set TASKMILL_CACHE_DIR, XDG_CACHE_HOME or HOME");
}

Compiler::Compiler(Home home, SystemCompiler compiler, ObjectCache cache)
    : home_(std::move(home)), compiler_(std::move(compiler)), cache_(std::move(cache)) {}

Compiler::Compiler(Compiler&& other) noexcept : Compiler(std::move(other.home_), std::move(other.compiler_), std::move(other.cache_)) {}

Result<Compiler> Compiler::open(Home home, fs::path cache_folder) {
  TASKMILL_ASSIGN(SystemCompiler compiler, SystemCompiler::find());
  if (cache_folder.empty()) {
    TASKMILL_ASSIGN(cache_folder, default_cache_folder());
  }
  return Compiler(std::move(home), std::move(compiler), ObjectCache(std::move(cache_folder)));
}

Flags Compiler::flags_of(const CompileRequest& request) const {
  Flags flags(std::begin(kCommonFlags), std::end(kCommonFlags));
  flags.push_back("-I" + home_.include().string());
  if (request.kind == SourceKind::kKernel) {
    flags.insert(flags.end(), {"-O3", "-march=native"});
  } else {
    flags.push_back("-O2");
  }
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  return flags;
}

Result<Compiler::Preprocessed> Compiler::preprocess(const CompileRequest& request, const Flags& flags) const {
  TASKMILL_ASSIGN(const std::string resolved, compiler_.resolve(flags));
  std::error_code error;
  std::vector<fs::path> sources = {fs::absolute(request.source, error).lexically_normal()};
  if (error)
    return fail(ErrorCode::kIoFailed, fmt::format("{}: source file \"{}\": {}", request.label, request.source.string(), error.message()));
  if (request.kind == SourceKind::kOrchestration) sources.push_back(home_.support() / "orchestration_support.cpp");
  Preprocessed result;
  CacheKey key;
  key.add(interface_versions()).add(compiler_.version()).add(resolved);
  key.add(request.kind == SourceKind::kOrchestration ? "orchestration" : request.core_type == CoreType::kAic ? "AIC" : "AIV");
  for (const std::string& flag : flags) key.add(flag);  // the resolved line lacks those of the linker and the assembler
  for (const fs::path& source : sources) {
    if (!fs::is_regular_file(source, error)) {
      return fail(ErrorCode::kIoFailed, fmt::format("{}: there is no source file {}", request.label, source.string()));
    }
    TASKMILL_ASSIGN(std::string text, compiler_.preprocess(source, flags, request.label));
    key.add(observes_position(text) || has_raw_string(text) ? text : without_line_markers(text));
    result.texts.push_back(std::move(text));
  }
  result.key = key.finish();
  return result;
}

Result<std::string> Compiler::build(const CompileRequest& request, const Flags& flags, const Preprocessed& preprocessed) const {
  TASKMILL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make("taskmill-compile-"));
  std::vector<fs::path> files;
  for (const std::string& text : preprocessed.texts) {
    files.push_back(folder.path() / fmt::format("{}.ii", files.size()));
    TASKMILL_TRY(replace_file(files.back(), text));
  }
  const fs::path object = folder.path() / "object.so";
  TASKMILL_TRY(compiler_.build(files, flags, object, request.label));
  return read_file(object);
}

Result<std::string> Compiler::find_or_build(const CompileRequest& request) {
  const Flags flags = flags_of(request);
  TASKMILL_ASSIGN(const Preprocessed preprocessed, preprocess(request, flags));
  if (std::optional<std::string> object = cache_.load(preprocessed.key)) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    return *std::move(object);
  }
  TASKMILL_ASSIGN(std::string object, build(request, flags, preprocessed));
  misses_.fetch_add(1, std::memory_order_relaxed);
  cache_.store(preprocessed.key, object);
  return object;
}

Result<std::string> Compiler::compile(const CompileRequest& request) {
  TASKMILL_ASSIGN(std::string object, find_or_build(request));
  TASKMILL_TRY(require_symbol(object, request.symbol, request.source, request.label));
  return object;
}

std::vector<Result<std::string>> Compiler::compile_all(const std::vector<CompileRequest>& requests) {
  std::vector<Result<std::string>> objects(requests.size());
  parallel_for(requests.size(), [&](size_t i) { objects[i] = compile(requests[i]); });
  return objects;
}

CompileStats Compiler::stats() const { return {hits_.load(std::memory_order_relaxed), misses_.load(std::memory_order_relaxed)}; }

}  // namespace taskmill::toolchain
