// One task: kernel 0 on a vector core.
#include <taskmill/orchestration.h>

using namespace taskmill;

extern "C" void hello(const OrchestrationArgs& args) {
  submit_aiv_task(0, TaskArgs().add_input(args.tensor(0), args.tensor(1)).add_output(args.tensor(2)));
}
