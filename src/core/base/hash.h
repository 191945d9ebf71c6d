// FNV-1a with 64 bits, to identify equal content. It does not protect against forged collisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

class Hash {
 public:
  // Hashes byte by byte and marks the end, so that "ab", "c" differs from "a", "bc".
  void add(std::string_view text);
  void add(std::int64_t number);
  // Hashes eight bytes at a time, for files. The value differs from that of add().
  void add_words(std::string_view bytes);
  void add_word(std::uint64_t word);

  std::string text() const;  // 16 hex digits

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  void add_byte(unsigned char byte) { state_ = (state_ ^ byte) * kPrime; }
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace strata
