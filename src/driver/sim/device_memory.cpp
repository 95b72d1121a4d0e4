#include "driver/sim/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "support/text.h"

namespace taskmill::sim {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kBigBytes = 2 * kHugePage;  // from here on allocations get huge pages

// Address ranges of all simulated devices of the process.
struct Reservations {
  std::mutex mutex;
  std::map<uint64_t, uint64_t> ranges;  // base to span
};
Reservations& reservations() {
  static Reservations* all = new Reservations;  // devices may outlive static destruction, with their stuck threads
  return *all;
}

bool in_a_device(uint64_t address) {
  Reservations& all = reservations();
  const std::lock_guard lock(all.mutex);
  const auto after = all.ranges.upper_bound(address);
  if (after == all.ranges.begin()) return false;
  const auto range = std::prev(after);
  return address - range->first < range->second;
}

}  // namespace

Result<std::shared_ptr<DeviceMemory>> DeviceMemory::reserve(uint64_t capacity) {
  // Alignment and fragments cost address space, which is plenty; the capacity bounds what is live.
  const uint64_t span = align_up(capacity + capacity / 2, kHugePage) + kHugePage;
  void* range = mmap(nullptr, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    return fail(ErrorCode::kOutOfDeviceMemory,
                fmt::format("cannot reserve {} bytes of addresses: {}", text::grouped(span), std::strerror(errno)));
  }
  return std::shared_ptr<DeviceMemory>(new DeviceMemory(reinterpret_cast<uint64_t>(range), span, capacity));
}

DeviceMemory::DeviceMemory(uint64_t base, uint64_t span, uint64_t capacity) : base_(base), span_(span), live_(capacity) {
  const uint64_t first = align_up(base, kHugePage);
  free_.emplace(first, base + span - first);
  committed_ = first - base;
  Reservations& all = reservations();
  const std::lock_guard lock(all.mutex);
  all.ranges.emplace(base_, span_);
}

DeviceMemory::~DeviceMemory() {
  {
    Reservations& all = reservations();
    const std::lock_guard lock(all.mutex);
    all.ranges.erase(base_);
  }
  munmap(reinterpret_cast<void*>(base_), span_);
}

Result<DeviceAddress> DeviceMemory::allocate(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  TASKMILL_TRY(live_.admit(bytes));
  const bool big = bytes >= kBigBytes;
  const uint64_t size = align_up(bytes, big ? kHugePage : kBufferAlignment);
  const uint64_t base = carve(size, big ? kHugePage : kBufferAlignment);
  if (base == 0) {
    return fail(ErrorCode::kOutOfDeviceMemory, fmt::format("no free range of {} bytes is left: memory is fragmented", text::grouped(size)));
  }
  const uint64_t end = align_up(base + size, kPage);
  if (end > base_ + committed_) {
    const uint64_t begin = base_ + committed_;
    if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) != 0) {
      give_back(base, size);
      return fail(ErrorCode::kOutOfDeviceMemory,
                  fmt::format("the host refuses {} bytes: {}", text::grouped(end - begin), std::strerror(errno)));
    }
    committed_ = end - base_;
  }
  if (big) madvise(reinterpret_cast<void*>(base), size, MADV_HUGEPAGE);
  carved_.emplace(base, size);
  live_.insert(base, bytes);
  return base;
}

Result<void> DeviceMemory::release(DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  TASKMILL_TRY(live_.remove(address));
  const auto carved = carved_.find(address);
  give_back(carved->first, carved->second);
  carved_.erase(carved);
  return {};
}

uint64_t DeviceMemory::carve(uint64_t bytes, uint64_t alignment) {
  auto best = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const uint64_t lost = align_up(range->first, alignment) - range->first;
    if (range->second < lost || range->second - lost < bytes) continue;
    if (best == free_.end() || range->second < best->second) best = range;
  }
  if (best == free_.end()) return 0;
  const auto [free_base, free_bytes] = *best;
  const uint64_t base = align_up(free_base, alignment);
  free_.erase(best);
  if (base > free_base) free_.emplace(free_base, base - free_base);
  const uint64_t rest = free_base + free_bytes - (base + bytes);
  if (rest > 0) free_.emplace(base + bytes, rest);
  return base;
}

void DeviceMemory::give_back(uint64_t base, uint64_t bytes) {
  const auto next = free_.lower_bound(base);
  if (next != free_.end() && base + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(base);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == base) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(base, bytes);
}

Result<void> DeviceMemory::check_copy(const Copy& copy) const {
  TASKMILL_TRY(live_.check_copy(copy));
  const auto check_host = [](uint64_t address, std::string_view side) -> Result<void> {
    if (!in_a_device(address)) return {};
    return fail(ErrorCode::kNotADeviceAddress,
                fmt::format("copy {}: {:#x} is a device address where a host address is expected", side, address));
  };
  if (copy.bytes == 0) return {};
  if (copy.kind == CopyKind::kHostToDevice) return check_host(copy.source, "source");
  if (copy.kind == CopyKind::kDeviceToHost) return check_host(copy.destination, "destination");
  return {};
}

void move_bytes(uint64_t destination, uint64_t source, uint64_t bytes) {
  const bool overlap = destination < source + bytes && source < destination + bytes;
  if (bytes > kPage || (destination | source | bytes) % sizeof(uint32_t) != 0 || overlap) {
    if (bytes != 0) std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<const void*>(source), bytes);
    return;
  }
  auto* to = reinterpret_cast<uint32_t*>(destination);
  const auto* from = reinterpret_cast<const uint32_t*>(source);
  for (uint64_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
    __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
  }
}

}  // namespace taskmill::sim
