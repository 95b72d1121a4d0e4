// Digests as lower-case hex. SHA-256 names what users see (callables); xxHash keys caches, where nobody attacks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace taskmill {

// Collects parts. Each part goes in with its length, so that moving a byte from one part to the next changes the digest.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256& add(std::string_view part);
  Sha256& add(uint64_t number);
  // 64 hex digits. Call once.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 32 hex digits of the 128-bit xxHash of the parts, each with its length.
class CacheKey {
 public:
  CacheKey();
  ~CacheKey();
  CacheKey& add(std::string_view part);
  std::string finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 32 hex digits: tells a damaged file from a sound one.
std::string checksum(std::string_view bytes);

}  // namespace taskmill
