// FNV-1a of 64 bits: for names of what is the same, never against someone who wants two things to
// look alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

class Hash {
 public:
  // Byte by byte, and a mark for the end, so that "ab" and "c" are not "a" and "bc".
  void add(std::string_view text);
  void add(std::int64_t number);
  // Eight bytes at a time, for files: another value than add() gives.
  void add_words(std::string_view bytes);
  void add_word(std::uint64_t word);

  std::string text() const;  // 16 hex digits

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  void add_byte(unsigned char byte) { state_ = (state_ ^ byte) * kPrime; }
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace strata
