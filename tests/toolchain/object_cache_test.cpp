#include "toolchain/object_cache.h"

#include <gtest/gtest.h>

#include "support/file.h"

namespace taskmill::toolchain {
namespace {

class ObjectCacheTest : public testing::Test {
 protected:
  const TemporaryFolder folder_ = *TemporaryFolder::make("taskmill-test-");
  const ObjectCache cache_{folder_.path()};
  const std::string key_ = "0123456789abcdef0123456789abcdef";
  const std::string object_ = std::string(
                                  "\x7f"
                                  "ELF\0\n1",
                                  7) +
                              std::string(1'000, 'x');
};

TEST_F(ObjectCacheTest, what_was_stored_is_loaded) {
  EXPECT_FALSE(cache_.load(key_));
  cache_.store(key_, object_);
  EXPECT_EQ(cache_.load(key_), object_);
}

TEST_F(ObjectCacheTest, an_entry_cut_short_anywhere_or_with_any_byte_changed_is_none) {
  cache_.store(key_, object_);
  const std::string sound = *read_file(cache_.entry_path(key_));
  for (size_t bytes : {size_t{0}, size_t{5}, size_t{40}, sound.size() - object_.size(), sound.size() - 1}) {
    ASSERT_TRUE(replace_file(cache_.entry_path(key_), sound.substr(0, bytes)));
    EXPECT_FALSE(cache_.load(key_)) << "cut to " << bytes;
  }
  for (size_t place = 0; place < sound.size(); place += 13) {
    std::string damaged = sound;
    damaged[place] ^= 0x20;
    ASSERT_TRUE(replace_file(cache_.entry_path(key_), damaged));
    EXPECT_FALSE(cache_.load(key_)) << "byte " << place;
  }
  cache_.store(key_, object_);
  EXPECT_EQ(cache_.load(key_), object_);
}

TEST_F(ObjectCacheTest, a_folder_that_cannot_be_written_loses_the_entry_and_nothing_else) {
  ASSERT_TRUE(replace_file(folder_.path() / "file", ""));
  const ObjectCache cache(folder_.path() / "file");
  cache.store(key_, object_);
  EXPECT_FALSE(cache.load(key_));
}

}  // namespace
}  // namespace taskmill::toolchain
