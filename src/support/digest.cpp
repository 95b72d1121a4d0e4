#include "support/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include <new>

namespace taskmill {
namespace {

std::string hex(const XXH128_hash_t& hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  // Both fail only when memory is exhausted.
  if (state_->context == nullptr || EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view part) {
  add(part.size());
  EVP_DigestUpdate(state_->context, part.data(), part.size());
  return *this;
}

Sha256& Sha256::add(uint64_t number) {
  EVP_DigestUpdate(state_->context, &number, sizeof number);
  return *this;
}

std::string Sha256::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int bytes = 0;
  EVP_DigestFinal_ex(state_->context, digest, &bytes);
  std::string text;
  for (unsigned int i = 0; i < bytes; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

struct CacheKey::State {
  XXH3_state_t* hash = XXH3_createState();
  ~State() { XXH3_freeState(hash); }
};

CacheKey::CacheKey() : state_(std::make_unique<State>()) {
  if (state_->hash == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->hash);
}
CacheKey::~CacheKey() = default;

CacheKey& CacheKey::add(std::string_view part) {
  const uint64_t bytes = part.size();
  XXH3_128bits_update(state_->hash, &bytes, sizeof bytes);
  XXH3_128bits_update(state_->hash, part.data(), part.size());
  return *this;
}

std::string CacheKey::finish() const { return hex(XXH3_128bits_digest(state_->hash)); }

std::string checksum(std::string_view bytes) { return hex(XXH3_128bits(bytes.data(), bytes.size())); }

}  // namespace taskmill
