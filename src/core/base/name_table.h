// A hash table from names to numbers, for text that the caller keeps alive. Reading a network
// mostly means looking up names, so this uses two flat arrays and no allocation per name. The hash
// is seeded per process, so no file can provoke collisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace strata {

// Random numbers that stay the same while the process runs.
struct HashSeed {
  std::uint64_t a;
  std::uint64_t b;
};
HashSeed process_seed();

namespace detail {

inline std::uint64_t load_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Combines both halves of the 128-bit product.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace detail

inline std::uint64_t hash_bytes(std::string_view bytes, const HashSeed& seed) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = seed.a ^ (bytes.size() * 0x9e3779b97f4a7c15u);
  for (; left > 16; at += 16, left -= 16)
    hash = detail::mix(detail::load_word(at) ^ seed.b, detail::load_word(at + 8) ^ hash);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = detail::load_word(at);
    b = detail::load_word(at + left - 8);
  } else if (bytes.size() >= 8) {
    a = detail::load_word(at + left - 8) >> (64 - 8 * left);  // without the bytes before these
  } else if (left > 0) {
    std::memcpy(&a, at, left);
  }
  return detail::mix(a ^ seed.b, b ^ hash);
}

class NameTable {
 public:
  // Makes room for this many names without growing.
  void reserve(std::size_t names) {
    std::size_t slots = kFewestSlots;
    while (names > most_names(slots)) slots *= 2;
    if (slots > slots_.size()) rehash(slots);
    entries_.reserve(names);
  }

  std::size_t size() const { return entries_.size(); }

  // The number of a name; nullptr if it is not in the table. Valid until the next insert.
  std::uint32_t* find(std::string_view name) {
    if (entries_.empty()) return nullptr;
    const Slot& slot = slot_of(name, hash_of(name));
    return slot.number == 0 ? nullptr : &entries_[slot.number - 1].value;
  }
  const std::uint32_t* find(std::string_view name) const {
    return const_cast<NameTable*>(this)->find(name);
  }

  // The text that the table refers to for this name; empty if it is not in the table.
  std::string_view kept_name(std::string_view name) {
    if (entries_.empty()) return {};
    const Slot& slot = slot_of(name, hash_of(name));
    if (slot.number == 0) return {};
    const Entry& entry = entries_[slot.number - 1];
    return {entry.data, entry.size};
  }

  // Names are numbered from 0, in the order in which they were added.
  std::uint32_t& value(std::size_t number) { return entries_[number].value; }
  bool is_name(std::size_t number, std::string_view name) const {
    return number < entries_.size() &&
           name == std::string_view(entries_[number].data, entries_[number].size);
  }

  struct Inserted {
    std::uint32_t& value;  // valid until the next insert
    bool is_new;
    std::size_t number;
  };
  // Adds a name with `value`, or finds the existing one. Names are shorter than 4 GB.
  Inserted insert(std::string_view name, std::uint32_t value) {
    const std::size_t number = entries_.size();
    if (number >= most_) rehash(slots_.empty() ? kFewestSlots : 2 * slots_.size());
    const std::uint32_t hash = hash_of(name);
    Slot& slot = slot_of(name, hash);
    if (slot.number != 0) return {entries_.data()[slot.number - 1].value, false, slot.number - 1u};
    Entry& entry =
        entries_.emplace_back(Entry{name.data(), static_cast<std::uint32_t>(name.size()), value});
    slot = {hash, static_cast<std::uint32_t>(number + 1)};
    return {entry.value, true, number};
  }

 private:
  // Slots are small, so that most of a large table stays in the processor's caches.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // number of the entry, from 1; 0: free
  };
  struct Entry {
    const char* data;
    std::uint32_t size;
    std::uint32_t value;
  };
  static constexpr std::size_t kFewestSlots = 16;

  static std::size_t most_names(std::size_t slots) { return slots / 4 * 3; }
  std::uint32_t hash_of(std::string_view name) const {
    return static_cast<std::uint32_t>(hash_bytes(name, seed_));
  }

  // The slot with this name, or the free slot where it belongs.
  Slot& slot_of(std::string_view name, std::uint32_t hash) {
    const std::size_t mask = mask_;
    Slot* slots = slots_.data();
    const Entry* entries = entries_.data();
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots[i];
      if (slot.number == 0) return slot;
      if (slot.hash != hash) continue;
      const Entry& entry = entries[slot.number - 1];
      if (name == std::string_view(entry.data, entry.size)) return slot;
    }
  }

  void rehash(std::size_t count) {
    std::vector<Slot> old(count);
    old.swap(slots_);
    mask_ = count - 1;
    most_ = most_names(count);
    for (const Slot& slot : old) {
      if (slot.number == 0) continue;
      std::size_t i = slot.hash & (count - 1);
      while (slots_[i].number != 0) i = (i + 1) & (count - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  // the count is a power of two; at most three quarters full
  std::vector<Entry> entries_;
  std::size_t mask_ = 0;  // the number of slots less one
  std::size_t most_ = 0;  // names before there have to be more slots
  HashSeed seed_ = process_seed();
};

}  // namespace strata
