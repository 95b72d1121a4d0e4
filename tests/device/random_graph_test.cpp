// Random graphs through the device programs on a whole simulated chip, in the seeded executor: results against the serial
// run, and as many kernels at once as graph and cores allow. TASKMILL_SEEDS sets the number of programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arch/a2a3.h"
#include "arch/a5.h"
#include "device/harness.h"
#include "graph/play.h"
#include "graph/region.h"

namespace taskmill::test {
namespace {

#if !defined(__x86_64__)
constexpr uint32_t kDefaultSeeds = 60;  // under qemu
#elif defined(TASKMILL_SANITIZED)
constexpr uint32_t kDefaultSeeds = 300;
#else
constexpr uint32_t kDefaultSeeds = 2000;
#endif
constexpr uint32_t kMaxUses = 24;

uint32_t seed_count() {
  const char* text = std::getenv("TASKMILL_SEEDS");
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : kDefaultSeeds;
}

// A program as orchestration and kernels; one at a time.
class Player {
 public:
  Player(const Program& program, const Model& model) : program_(program), model_(model) {
    for (const Step& step : program.steps) {
      if (step.kind == Step::kSubmit || step.kind == Step::kAllocate) submits_.push_back(&step);
    }
  }

  void orchestrate(const OrchestrationArgs& args) {
    tensors_.assign(program_.buffers.size(), Tensor{});
    for (uint32_t i = 0; i < program_.entries; ++i) tensors_[i] = args.tensor(i);
    ids_.clear();
    next_ = 0;
    play_scope();
  }

  // Kernel id = number of tensors; the task's place in the order of submits comes behind its scalars.
  template <size_t kTensors>
  static void kernel(int64_t* args) {
    const auto place = scalar<uint64_t>(args, kTensors);
    std::vector<const TensorDescriptor*> tensors;
    for (uint32_t i = 0; i < kTensors; ++i) tensors.push_back(&tensor(args, i));
    current->wrong_ += !play(*current->submits_[place], current->model_.tasks()[place], tensors);
  }

  // Kernels of the longest path through all orders that the program asks for.
  uint32_t longest_path() const {
    std::vector<uint32_t> kernels(submits_.size());
    for (uint32_t c = 0; c < kernels.size(); ++c) {
      for (uint32_t p = 0; p < c; ++p) {
        const bool follows = model_.tasks()[c].after(model_.tasks()[p]).any() || asks_for(*submits_[c], *submits_[p], p);
        if (follows) kernels[c] = std::max(kernels[c], kernels[p]);
      }
      kernels[c] += submits_[c]->kind == Step::kSubmit && !submits_[c]->order_only;
    }
    return *std::max_element(kernels.begin(), kernels.end());
  }

  uint32_t wrong() const { return wrong_; }
  static Player* current;

 private:
  // The rest of the innermost open scope.
  void play_scope() {
    while (next_ < program_.steps.size()) {
      const Step& step = program_.steps[next_++];
      if (step.kind == Step::kScopeEnd) return;
      if (step.kind == Step::kScopeBegin) {
        const ScopeGuard guard(step.manual ? ScopeMode::kManual : ScopeMode::kAuto);
        play_scope();
      } else {
        submit_step(step);
      }
    }
  }

  void submit_step(const Step& step) {
    Submission submission(program_, step, tensors_, ids_);
    const auto uses = static_cast<int32_t>(step.uses.size());
    TaskSpec spec = submission.args.spec(uses, uses % 2 == 0 ? CoreType::kAic : CoreType::kAiv, submission.kind());
    if (step.kind == Step::kSubmit) {
      std::copy_backward(spec.scalars, spec.scalars + spec.scalar_count, spec.scalars + spec.scalar_count + 1);
      spec.scalars[0] = ids_.size();
      ++spec.scalar_count;
    }
    const Outputs outputs = submit(spec);
    ids_.push_back(outputs.task_id());
    if (!is_fatal()) submission.take_outputs(&outputs[0], tensors_);
  }

  const Program& program_;
  const Model& model_;
  std::vector<const Step*> submits_;
  std::vector<Tensor> tensors_;
  std::vector<uint64_t> ids_;
  size_t next_ = 0;
  uint32_t wrong_ = 0;
};
Player* Player::current = nullptr;

template <size_t... kTensors>
void set_kernels(Chip& chip, std::index_sequence<kTensors...>) {
  (chip.set_kernel(kTensors, &Player::kernel<kTensors>), ...);
}

struct Game {
  uint64_t seed;
  Program program;
  Model model;
  explicit Game(uint64_t number, Views views = Views::kAll)
      : seed(number), program(ProgramGenerator(number, views).make()), model(program) {}
};

// The entry buffers of a program.
class Entries {
 public:
  Entries(const Game& game, Chip& chip) : game_(game), memory_(game.program.entries, std::vector<uint8_t>(kMaxBufferBytes)) {
    for (uint32_t i = 0; i < game.program.entries; ++i) {
      const BufferSpec& buffer = game.program.buffers[i];
      for (uint32_t b = 0; b < kMaxBufferBytes; ++b) memory_[buffer.root][b] = Model::initial_byte(buffer.root, b);
      chip.add_view(memory_[buffer.root].data(), buffer.shape, buffer.dtype, buffer.root);
    }
  }
  void expect_serial_result() const {
    for (uint32_t root = 0; root < game_.program.entries; ++root) {
      if (game_.program.buffers[root].root != root) continue;
      EXPECT_EQ(memory_[root], game_.model.memory(root));
    }
  }

 private:
  const Game& game_;
  std::vector<std::vector<uint8_t>> memory_;
};

// A run that succeeds has the serial result.
RunReport play_once(const Game& game, const ChipOptions& options, const sim::SeededOptions& seeded) {
  Chip chip(options);
  set_kernels(chip, std::make_index_sequence<kMaxUses>());
  const Entries entries(game, chip);
  Player player(game.program, game.model);
  Player::current = &player;
  const RunReport report = chip.run(seeded, [&](const OrchestrationArgs& args) { player.orchestrate(args); });
  if (report.code() == ErrorCode::kOk) {
    EXPECT_EQ(player.wrong(), 0u);
    entries.expect_serial_result();
  }
  return report;
}

// Rings of all sizes from the smallest; those that are proven too small are doubled.
void play_game(const Game& game) {
  Random random(Random::mix(game.seed));
  ChipOptions options;
  options.traits = random.one_in(2) ? &arch::kA2a3 : &arch::kA5;
  options.clusters = random.one_in(3) ? random.between(1, options.traits->clusters) : random.between(1, 3);
  for (wire::RingSizes& ring : options.sizes.rings) {
    ring = {4u << random.below(4), graph::kMinArgumentLines << random.below(7), 4u << random.below(3), 0,
            kBufferAlignment << random.below(6)};
  }
  for (uint32_t attempt = 0; attempt < 200; ++attempt) {
    sim::SeededOptions seeded;
    seeded.seed = random.next();
    seeded.noncoherent = random.one_in(2);
    seeded.cost.kernel_ns = [seed = seeded.seed](const wire::CoreContext& core) { return Random::mix(seed + core.payload.task) % 5000; };
    const RunReport report = play_once(game, options, seeded);
    ASSERT_TRUE(report.outcome.finished()) << report.outcome.waiting;
    if (report.code() == ErrorCode::kOk) return;
    wire::RingSizes& ring = options.sizes.rings[report.result.error.ring];
    switch (report.result.error.reason) {
      case wire::Reason::kRingSlots:
        ring.task_window *= 2;
        break;
      case wire::Reason::kRingArguments:
        ring.argument_lines *= 2;
        break;
      case wire::Reason::kRingHeap:
      case wire::Reason::kOutputTooLarge:
        ring.heap_bytes *= 2;
        break;
      default:
        FAIL() << "code " << report.result.error.code << ", reason " << static_cast<uint32_t>(report.result.error.reason);
    }
  }
  FAIL() << "still no room";
}

TEST(RandomGraphs, give_the_serial_result_on_both_archs_whatever_the_cores_and_ring_sizes) {
  for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    play_game(Game(seed));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// No order too many, no core idle beside a ready task: on a chip with a core for each task a program takes as long as its
// longest path.
TEST(RandomGraphs, take_as_long_as_their_longest_path_of_kernels_where_cores_and_rings_are_plenty) {
  constexpr uint64_t kKernelNs = 10'000'000;
  for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
    const Game game(seed, Views::kBoxes);
    ChipOptions options;
    options.traits = &arch::kA5;
    options.clusters = options.traits->clusters;
    options.sizes = equal_rings({.task_window = 1024, .argument_lines = 8192, .edge_nodes = 4096, .reserved = 0, .heap_bytes = 1 << 20});
    sim::SeededOptions seeded;
    seeded.seed = seed;
    seeded.cost.kernel_ns = [](const wire::CoreContext&) { return kKernelNs; };
    const RunReport report = play_once(game, options, seeded);
    ASSERT_EQ(report.code(), ErrorCode::kOk) << report.message();
    EXPECT_EQ(report.outcome.virtual_ns / kKernelNs, Player(game.program, game.model).longest_path())
        << "seed " << seed << ": " << report.outcome.virtual_ns << " ns";
  }
}

// Layers of tasks, each following some of the layer before: with rings that hold all and kernels of one cost, the widest layer
// runs at once if there are cores for it.
TEST(RandomGraphs, run_as_many_kernels_at_once_as_the_graph_is_wide_or_the_chip_has_cores) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    ChipOptions options;
    options.clusters = random.between(1, 24);
    options.sizes = equal_rings({.task_window = 1024, .argument_lines = 8192, .edge_nodes = 4096, .reserved = 0, .heap_bytes = 1024});
    std::vector<uint32_t> widths(random.between(2, 6));
    for (uint32_t& width : widths) width = random.between(1, 60);
    uint32_t bytes[64] = {};
    Chip chip(options);
    chip.set_kernel(0, [](int64_t*) {});
    chip.add_tensor(bytes, {64}, DataType::kInt32);
    sim::SeededOptions seeded;
    seeded.seed = seed;
    seeded.cost.kernel_ns = [](const wire::CoreContext&) { return 1000; };
    const RunReport report = chip.run(seeded, [&](const OrchestrationArgs&) {
      std::vector<uint64_t> before, layer;
      for (const uint32_t width : widths) {
        layer.clear();
        for (uint32_t i = 0; i < width; ++i) {
          layer.push_back(submit_aiv_task(0, TaskArgs().set_dependencies(before.data(), static_cast<uint32_t>(before.size()))).task_id());
        }
        before = layer;
      }
    });
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
    EXPECT_EQ(report.outcome.peak_kernels, std::min(*std::max_element(widths.begin(), widths.end()), 2 * options.clusters))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace taskmill::test
