#include "host/callable_registry.h"

#include <fmt/format.h>

#include "host/callable_spec_checks.h"
#include "support/digest.h"
#include "wire/program.h"

namespace taskmill {
namespace {

using toolchain::CompileRequest;
using toolchain::SourceKind;

std::string orchestration_label(const CallableSpec& spec) { return fmt::format("orchestration of \"{}\"", spec.name); }

// The kernels in their order, then the orchestration.
std::vector<CompileRequest> requests_of(const CallableSpec& spec) {
  std::vector<CompileRequest> requests;
  for (const KernelSource& kernel : spec.kernels) {
    CompileRequest& request = requests.emplace_back();
    request.label = kernel_label(spec, kernel);
    request.source = kernel.source;
    request.core_type = kernel.core_type;
    request.flags = kernel.flags;
  }
  CompileRequest& request = requests.emplace_back();
  request.kind = SourceKind::kOrchestration;
  request.label = orchestration_label(spec);
  request.source = spec.orchestration;
  request.symbol = spec.function;
  request.flags = spec.orchestration_flags;
  return requests;
}

std::string digest_of(const CallableSpec& spec, const std::vector<std::string>& objects) {
  Sha256 digest;
  digest.add(spec.name).add(spec.function).add(spec.scalar_count).add(spec.signature.size());
  digest.add(static_cast<uint64_t>(spec.dependency_rules));
  for (const ArgumentSignature& argument : spec.signature) {
    digest.add(argument.name).add(static_cast<uint64_t>(argument.direction));
    digest.add(argument.dtype ? 1 + static_cast<uint64_t>(*argument.dtype) : 0);
  }
  for (const KernelSource& kernel : spec.kernels) {
    digest.add(kernel.name).add(static_cast<uint64_t>(kernel.id)).add(static_cast<uint64_t>(kernel.core_type));
  }
  for (const std::string& object : objects) digest.add(object);
  return digest.finish();
}

}  // namespace

Result<std::vector<std::string>> CallableRegistry::compile(const CallableSpec& spec) {
  std::vector<std::string> objects;
  for (Result<std::string>& object : compiler_.compile_all(requests_of(spec))) {
    if (!object) return tl::unexpected(std::move(object).error());
    objects.push_back(*std::move(object));
  }
  return objects;
}

Result<std::vector<uint64_t>> CallableRegistry::load_image(Callable* callable, ImageKind kind, const std::string& object,
                                                           const std::string& label, std::vector<std::string> symbols) {
  const Image image = {kind, std::as_bytes(std::span(object)), label, std::move(symbols)};
  TASKMILL_ASSIGN(LoadedImage loaded, device_.load(image));
  callable->images.emplace_back(device_, loaded.handle);
  return std::move(loaded.symbols);
}

Result<Callable> CallableRegistry::load(const CallableSpec& spec, const std::vector<std::string>& objects) {
  Callable callable;
  callable.spec = spec;
  for (size_t i = 0; i < spec.kernels.size(); ++i) {
    const KernelSource& kernel = spec.kernels[i];
    const std::string label = kernel_label(spec, kernel);
    TASKMILL_ASSIGN(const std::vector<uint64_t> entry,
                    load_image(&callable, ImageKind::kKernel, objects[i], label, {toolchain::kKernelSymbol}));
    const auto id = static_cast<size_t>(kernel.id);
    if (callable.functions.size() <= id) callable.functions.resize(id + 1);
    callable.functions[id] = entry[0];
    callable.kernel_names[kernel.id] = kernel.name;
  }
  TASKMILL_ASSIGN(const std::vector<uint64_t> entries,
                  load_image(&callable, ImageKind::kOrchestration, objects.back(), orchestration_label(spec),
                             {wire::kOrchestrationRunSymbol, spec.function}));
  callable.orchestration_run = entries[0];
  callable.orchestration_entry = entries[1];
  return callable;
}

Result<CallableId> CallableRegistry::add(const CallableSpec& spec) {
  TASKMILL_TRY(check_callable_spec(spec));
  TASKMILL_ASSIGN(const std::vector<std::string> objects, compile(spec));
  CallableId id = {digest_of(spec, objects)};
  const auto known = callables_.find(id.digest);
  if (known != callables_.end()) {
    ++known->second.registrations;
    return id;
  }
  TASKMILL_ASSIGN(Callable callable, load(spec, objects));
  callables_.emplace(id.digest, std::move(callable));
  return id;
}

Result<void> CallableRegistry::remove(const CallableId& id) {
  TASKMILL_TRY(find(id));
  const auto callable = callables_.find(id.digest);
  if (--callable->second.registrations == 0) callables_.erase(callable);
  return {};
}

Result<const Callable*> CallableRegistry::find(const CallableId& id) const {
  const auto found = callables_.find(id.digest);
  if (found != callables_.end()) return &found->second;
  return fail(ErrorCode::kUnknownCallable,
              fmt::format("callable \"{}\" is not registered with this worker ({} registered)", id.digest, callables_.size()));
}

}  // namespace taskmill
