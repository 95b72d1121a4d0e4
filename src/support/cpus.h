// CPUs available to this process, and a loop over independent pieces of work that uses them.
#pragma once

#include <cstddef>
#include <functional>

namespace taskmill {

// By the process's affinity mask; at least 1.
unsigned available_cpus();

// Calls body(i) once for each i in [0, count), on at most available_cpus() threads, the caller's among them. Returns when all
// are done. `body` must not throw.
void parallel_for(size_t count, const std::function<void(size_t)>& body);

}  // namespace taskmill
