// An image loaded into the process: a copy of its own of a shared object, whose statics nobody else shares.
#pragma once

#include <memory>
#include <string>

#include "taskmill/driver.h"
#include "wire/program.h"

namespace taskmill::sim {

class LoadedObject {
 public:
  // LoadFailed with the loader's words; for programs also if version or arch differ from the device's.
  static Result<std::shared_ptr<LoadedObject>> load(const Image& image, uint32_t arch);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  // MissingSymbol, naming symbol and image.
  Result<uint64_t> symbol(const std::string& name) const;
  ImageKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const wire::AicpuProgram& aicpu_program() const { return *aicpu_; }     // REQUIRES: kind() == kAicpuProgram
  const wire::AicoreProgram& aicore_program() const { return *aicore_; }  // REQUIRES: kind() == kAicoreProgram

 private:
  LoadedObject(void* object, ImageKind kind, std::string name) : object_(object), kind_(kind), name_(std::move(name)) {}
  Result<void> find_program(uint32_t arch);
  Result<void> check_program(uint32_t version, uint32_t own_arch, uint32_t arch) const;

  void* object_;
  ImageKind kind_;
  std::string name_;
  const wire::AicpuProgram* aicpu_ = nullptr;
  const wire::AicoreProgram* aicore_ = nullptr;
};

}  // namespace taskmill::sim
