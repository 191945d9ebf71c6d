#include "base/hash.h"

#include <cstring>

#include <fmt/format.h>

namespace strata {

void Hash::add(std::string_view text) {
  for (const char c : text) add_byte(static_cast<unsigned char>(c));
  add_byte(0xff);  // in no text of UTF-8
}

void Hash::add(std::int64_t number) {
  for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
}

void Hash::add_words(std::string_view bytes) {
  add_word(bytes.size());
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    add_word(word);
    bytes.remove_prefix(sizeof word);
  }
  for (const char c : bytes) add_word(static_cast<unsigned char>(c));
}

// Products of whole words carry nothing from high bits to low ones: the shift does.
void Hash::add_word(std::uint64_t word) {
  state_ = (state_ ^ word) * kPrime;
  state_ ^= state_ >> 29;
}

std::string Hash::text() const { return fmt::format("{:016x}", state_); }

}  // namespace strata
