#include "driver/sim/kernel_guard.h"

#include <setjmp.h>
#include <sys/mman.h>

#include <mutex>

namespace taskmill::sim {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kSignalStackBytes = 64 * 1024;

struct Frame {
  sigjmp_buf jump;
  const std::atomic<bool>* given_up;
  volatile int signal;
  volatile uint64_t address;
};

// Initial-exec: the handler must not be the one that makes a thread's block of variables.
thread_local __attribute__((tls_model("initial-exec"))) Frame* volatile current_frame = nullptr;
thread_local __attribute__((tls_model("initial-exec"))) volatile bool chaining = false;
thread_local __attribute__((tls_model("initial-exec"))) volatile uint32_t shields = 0;

std::mutex installation_mutex;
uint32_t installations = 0;              // guarded by installation_mutex
struct sigaction previous_action[NSIG];  // written under installation_mutex before our handler is in place

int park_signal() { return SIGRTMIN + 6; }

// A fault outside user code. A handler behind ours that raises the signal again, expecting that we end the process, comes
// back here while `chaining`: then the default action takes over.
void chain(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_action[signal];
  const bool is_default = (previous.sa_flags & SA_SIGINFO) == 0 && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN);
  if (chaining || is_default) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    if (info->si_code <= 0) raise(signal);  // sent, not caused by an instruction that would fault again on return
    return;
  }
  chaining = true;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  chaining = false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  Frame* frame = current_frame;
  if (frame == nullptr) {
    chain(signal, info, context);
    return;
  }
  frame->signal = signal;
  frame->address = reinterpret_cast<uint64_t>(info->si_addr);
  siglongjmp(frame->jump, 1);
}

void park_if_given_up() {
  const Frame* frame = current_frame;
  if (frame != nullptr && frame->given_up->load(std::memory_order_acquire)) park_for_ever();
}

void on_park(int) {
  if (shields == 0) park_if_given_up();
}

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &on_fault; }

void install_handlers() {
  for (const int signal : kSignals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (is_ours(now)) continue;
    previous_action[signal] = now;
    struct sigaction ours = {};
    ours.sa_sigaction = &on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
  struct sigaction park = {};
  park.sa_handler = &on_park;
  park.sa_flags = SA_RESTART;
  sigaction(park_signal(), &park, nullptr);
}

void restore_handlers() {
  for (const int signal : kSignals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (is_ours(now)) sigaction(signal, &previous_action[signal], nullptr);
  }
}

}  // namespace

HandlerInstallation::HandlerInstallation() {
  const std::lock_guard lock(installation_mutex);
  ++installations;
  install_handlers();
}

HandlerInstallation::~HandlerInstallation() {
  const std::lock_guard lock(installation_mutex);
  if (--installations == 0) restore_handlers();
}

GuardedThread::GuardedThread() {
  memory_ = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = {};
  stack.ss_sp = memory_;
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, &previous_);
}

GuardedThread::~GuardedThread() {
  sigaltstack(&previous_, nullptr);
  munmap(memory_, kSignalStackBytes);
}

bool call_guarded(void (*function)(void*), void* argument, const std::atomic<bool>& given_up, Trap* trap) {
  Frame frame;
  frame.given_up = &given_up;
  if (sigsetjmp(frame.jump, 0) != 0) {
    current_frame = nullptr;
    shields = 0;  // the jump passed their ends
    *trap = {frame.signal, frame.address};
    return false;
  }
  current_frame = &frame;
  function(argument);
  current_frame = nullptr;
  return true;
}

ParkShield::ParkShield() { shields = shields + 1; }

// A signal that came before the last one ended was ignored, and its sender had set the flag; a later one parks by itself.
ParkShield::~ParkShield() {
  shields = shields - 1;
  if (shields == 0) park_if_given_up();
}

void park_thread(pthread_t thread) { pthread_kill(thread, park_signal()); }

void park_for_ever() {
  sigset_t all;
  sigfillset(&all);
  for (;;) sigsuspend(&all);
}

}  // namespace taskmill::sim
