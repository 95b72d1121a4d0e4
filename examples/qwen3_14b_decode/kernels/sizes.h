// What the layer's kernels are written for. The rows are those of tile_matmul.h: one new token of each of 16 sequences.
#pragma once

#include <cstdint>

namespace qwen3 {

constexpr uint32_t kHeadDim = 128;
constexpr uint32_t kGroupHeads = 5;  // query heads that share a KV head
constexpr uint32_t kPageTokens = 128;

// A page of the key cache is [kHeadDim / 2][kPageTokens][2], pairs of dimensions side by side, so that one vector holds the same
// two dimensions of 16 tokens; a page of the value cache is [kPageTokens][kHeadDim].
constexpr uint32_t kPageElements = kPageTokens * kHeadDim;

}  // namespace qwen3
