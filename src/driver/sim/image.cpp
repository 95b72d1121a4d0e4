#include "driver/sim/image.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "support/file.h"

namespace taskmill::sim {
namespace {

// The loader knows a file by its inode, so each load gets one of its own. It may go as soon as the object is mapped.
Result<void*> open_object(const Image& image) {
  TASKMILL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make("taskmill-image"));
  const std::filesystem::path file = folder.path() / "image.so";
  TASKMILL_TRY(replace_file(file, {reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size()}));
  // An orchestration may leave functions undefined that it never calls; a kernel that does is a mistake to tell early.
  const int binding = image.kind == ImageKind::kOrchestration ? RTLD_LAZY : RTLD_NOW;
  void* object = dlopen(file.c_str(), binding | RTLD_LOCAL);
  if (object != nullptr) return object;
  const char* text = dlerror();
  std::string_view why = text != nullptr ? text : "unknown reason";
  if (why.starts_with(file.native())) why.remove_prefix(file.native().size() + 2);
  return fail(ErrorCode::kLoadFailed, fmt::format("image \"{}\": {}", image.name, why));
}

}  // namespace

Result<std::shared_ptr<LoadedObject>> LoadedObject::load(const Image& image, uint32_t arch) {
  TASKMILL_ASSIGN(void* object, open_object(image));
  const std::shared_ptr<LoadedObject> loaded(new LoadedObject(object, image.kind, image.name));
  TASKMILL_TRY(loaded->find_program(arch));
  return loaded;
}

LoadedObject::~LoadedObject() { dlclose(object_); }

Result<uint64_t> LoadedObject::symbol(const std::string& name) const {
  if (void* address = dlsym(object_, name.c_str())) return reinterpret_cast<uint64_t>(address);
  return fail(ErrorCode::kMissingSymbol, fmt::format("image \"{}\" does not export \"{}\"", name_, name));
}

Result<void> LoadedObject::find_program(uint32_t arch) {
  if (kind_ == ImageKind::kAicpuProgram) {
    TASKMILL_ASSIGN(const uint64_t table, symbol(wire::kAicpuProgramSymbol));
    aicpu_ = reinterpret_cast<const wire::AicpuProgram*>(table);
    return check_program(aicpu_->version, aicpu_->arch, arch);
  }
  if (kind_ == ImageKind::kAicoreProgram) {
    TASKMILL_ASSIGN(const uint64_t table, symbol(wire::kAicoreProgramSymbol));
    aicore_ = reinterpret_cast<const wire::AicoreProgram*>(table);
    return check_program(aicore_->version, aicore_->arch, arch);
  }
  return {};
}

Result<void> LoadedObject::check_program(uint32_t version, uint32_t own_arch, uint32_t arch) const {
  if (version != wire::kProgramVersion) {
    return fail(ErrorCode::kLoadFailed, fmt::format("image \"{}\" is a device program of version {}, this driver runs version {}", name_,
                                                    version, wire::kProgramVersion));
  }
  if (own_arch != arch) {
    return fail(ErrorCode::kLoadFailed,
                fmt::format("image \"{}\" is a device program for arch {}, this device is arch {}", name_, own_arch, arch));
  }
  return {};
}

}  // namespace taskmill::sim
