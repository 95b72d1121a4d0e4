#include "driver/sim/views.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/align.h"

namespace taskmill::sim {
namespace {

constexpr uint64_t kWindowBytes = uint64_t{1} << 20;

// A file of one poisoned window; every window of every view maps it copy-on-write, so poison costs no memory.
int open_poison() {
  const int file = memfd_create("taskmill-poison", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kWindowBytes) != 0) std::abort();
  void* window = mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (window == MAP_FAILED) std::abort();
  std::memset(window, Views::kPoison, kWindowBytes);
  munmap(window, kWindowBytes);
  return file;
}

}  // namespace

Views::Views(uint64_t home, uint64_t bytes, uint32_t viewers)
    : home_(home), bytes_(bytes), stride_(align_up(std::max<uint64_t>(bytes, 1), kWindowBytes)), total_(stride_ * viewers) {
  void* range = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) std::abort();
  memory_ = reinterpret_cast<uint64_t>(range);
  const int poison = open_poison();
  for (uint64_t at = memory_; at < memory_ + total_; at += kWindowBytes) {
    void* window =
        mmap(reinterpret_cast<void*>(at), kWindowBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison, 0);
    if (window == MAP_FAILED) std::abort();
  }
  close(poison);
}

Views::~Views() { munmap(reinterpret_cast<void*>(memory_), total_); }

Views::Range Views::lines(uint32_t viewer, const void* address, uint64_t bytes) const {
  const uint64_t view = base(viewer);
  const auto begin = reinterpret_cast<uint64_t>(address);
  if (bytes == 0 || begin < view || begin >= view + bytes_) return {0, 0};
  const uint64_t first = (begin - view) & ~uint64_t{kCacheLineBytes - 1};
  const uint64_t last = std::min(align_up(begin - view + bytes, kCacheLineBytes), bytes_);
  return {first, last - first};
}

void Views::write_back(uint32_t viewer, const void* address, uint64_t bytes) {
  const Range range = lines(viewer, address, bytes);
  std::memcpy(reinterpret_cast<void*>(home_ + range.offset), reinterpret_cast<const void*>(base(viewer) + range.offset), range.bytes);
}

void Views::fetch(uint32_t viewer, const void* address, uint64_t bytes) {
  const Range range = lines(viewer, address, bytes);
  std::memcpy(reinterpret_cast<void*>(base(viewer) + range.offset), reinterpret_cast<const void*>(home_ + range.offset), range.bytes);
}

}  // namespace taskmill::sim
