#include "support/cpus.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace taskmill {

unsigned available_cpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

void parallel_for(size_t count, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    // Relaxed: the counter only hands numbers out; join() orders the results.
    for (size_t i = next.fetch_add(1, std::memory_order_relaxed); i < count; i = next.fetch_add(1, std::memory_order_relaxed)) body(i);
  };
  std::vector<std::jthread> helpers;  // joined at the end, however that comes
  const size_t threads = std::min<size_t>(count, available_cpus());
  try {
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads are to be had: those that there are do the work
  }
  work();
}

}  // namespace taskmill
