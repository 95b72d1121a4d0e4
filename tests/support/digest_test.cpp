#include "support/digest.h"

#include <gtest/gtest.h>

namespace taskmill {
namespace {

TEST(Digest, sha256_of_the_same_parts_is_the_same_64_hex_digits) {
  const std::string once = Sha256().add("kernel").add(7).finish();
  EXPECT_EQ(once, Sha256().add("kernel").add(7).finish());
  EXPECT_EQ(once.size(), 64u);
  EXPECT_EQ(once.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Digest, sha256_is_the_published_function) {
  // SHA-256 of eight zero bytes, which is how an empty part goes in.
  EXPECT_EQ(Sha256().add("").finish(), "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
}

TEST(Digest, moving_a_byte_between_parts_changes_both_digests) {
  EXPECT_NE(Sha256().add("ab").add("c").finish(), Sha256().add("a").add("bc").finish());
  EXPECT_NE(CacheKey().add("ab").add("c").finish(), CacheKey().add("a").add("bc").finish());
}

TEST(Digest, a_changed_byte_changes_the_checksum) {
  EXPECT_EQ(checksum("object"), checksum("object"));
  EXPECT_NE(checksum("object"), checksum("objecT"));
  EXPECT_EQ(checksum("").size(), 32u);
}

}  // namespace
}  // namespace taskmill
