#include "toolchain/diagnostics.h"

#include <gtest/gtest.h>

namespace taskmill::toolchain {
namespace {

TEST(Diagnostics, the_first_error_line_is_found_behind_its_context) {
  EXPECT_EQ(first_error("k.cpp: In function 'f':\nk.cpp:3:5: warning: w\nk.cpp:7:9: error: no\nk.cpp:8:1: error: later\n"),
            "k.cpp:7:9: error: no");
  EXPECT_EQ(first_error("k.cpp:1:10: fatal error: x.h: No such file\n"), "k.cpp:1:10: fatal error: x.h: No such file");
}

TEST(Diagnostics, without_an_error_line_the_first_line_stands_for_the_rest) {
  EXPECT_EQ(first_error("\ng++: internal trouble\nmore\n"), "g++: internal trouble");
  EXPECT_EQ(first_error(""), "");
}

TEST(Diagnostics, line_markers_and_empty_lines_are_no_text) {
  EXPECT_EQ(without_line_markers("# 1 \"k.cpp\"\n\nint x;\n# 9 \"h.h\" 1\n#pragma once\nint y;"), "int x;\n#pragma once\nint y;\n");
}

TEST(Diagnostics, text_that_asks_for_its_place_is_recognised) {
  EXPECT_TRUE(observes_position("f(int line = __builtin_LINE())"));
  EXPECT_FALSE(observes_position("f(int line = 7)"));
}

TEST(Diagnostics, raw_strings_of_each_encoding_are_recognised) {
  EXPECT_TRUE(has_raw_string("f(R\"(x)\")"));
  EXPECT_TRUE(has_raw_string("f(u8R\"a(x)a\")"));
  EXPECT_FALSE(has_raw_string("R(f(\"x\"))"));
}

}  // namespace
}  // namespace taskmill::toolchain
