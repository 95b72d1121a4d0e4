// scores = q · keysᵀ / √dim for a block of tokens. Arguments: q bfloat16 [1, heads · group, dim]; the keys' cache and the
// block's pages, see paged_rows.h; scores float32 [heads, group, tokens]. `group` query heads in succession share a KV head.
#include <taskmill/kernel.h>

#include <cmath>

#include "../../common/bfloat16.h"
#include "paged_rows.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& scores = taskmill::tensor(args, 3);
  const uint32_t heads = scores.shapes[0], group = scores.shapes[1], tokens = scores.shapes[2];
  const uint32_t dim = taskmill::tensor(args, 0).shapes[2];
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  const paged::PagedRows keys(args, 1, 2);
  for (uint32_t head = 0; head < heads; ++head) {
    const uint16_t* q = taskmill::data<uint16_t>(args, 0) + head * group * dim;
    float* out = taskmill::data<float>(args, 3) + head * group * tokens;
    keys.for_each_page(head, tokens, [&](const uint16_t* key, uint32_t token, uint32_t count) {
      for (const uint32_t end = token + count; token < end; ++token, key += keys.stride()) {
        for (uint32_t row = 0; row < group; ++row) out[row * tokens + token] = scale * examples::dot(q + row * dim, key, dim);
      }
    });
  }
}
