// Tables and lists of a FlatBuffers file. Every offset is checked before it is followed; what lies
// outside of the file ends the read with a sentence (torch::Broken).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "read/torch/broken.h"

namespace strata::flatbuffer {

using torch::Broken;

class Wire;

// A list: where its elements are, and how many there are. They are inside of the file.
struct List {
  std::size_t at = 0;
  std::uint32_t count = 0;
};

// A table: its fields are found by their slots. A default one has no fields.
class Table {
 public:
  Table() = default;
  Table(const Wire& wire, std::size_t at);

  bool exists() const { return wire_ != nullptr; }
  // Where the table is in the file, which identifies it.
  std::size_t place() const { return at_; }
  bool has(std::uint16_t slot) const { return field(slot, 1) != 0; }
  // A number; `otherwise` if the field is left out.
  template <class T>
  T number(std::uint16_t slot, T otherwise) const;
  std::string_view text(std::uint16_t slot) const;
  Table table(std::uint16_t slot) const;
  // A list of elements of this many bytes each; empty if the field is left out.
  List list(std::uint16_t slot, std::size_t element_bytes) const;

 private:
  // Where a field of this many bytes is; 0 if it is left out.
  std::size_t field(std::uint16_t slot, std::size_t bytes) const;

  const Wire* wire_ = nullptr;
  std::size_t at_ = 0;
  std::size_t vtable_ = 0;
  std::uint16_t vtable_bytes_ = 0, table_bytes_ = 0;
};

class Wire {
 public:
  explicit Wire(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  Table root() const { return Table(*this, follow(0)); }
  // Item `i` of a list of tables, or of texts.
  Table table_at(const List& list, std::uint32_t i) const;
  template <class T>
  T item(const List& list, std::uint32_t i) const {
    return read<T>(list.at + std::size_t{i} * sizeof(T));
  }
  template <class T>
  T read(std::size_t at) const {
    need(at, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  // The place that the offset at this place points to.
  std::size_t follow(std::size_t at) const;
  List list(std::size_t at, std::size_t element_bytes) const;
  void need(std::size_t at, std::size_t size) const;

 private:
  std::string_view bytes_;
};

template <class T>
T Table::number(std::uint16_t slot, T otherwise) const {
  const std::size_t at = field(slot, sizeof(T));
  return at == 0 ? otherwise : wire_->read<T>(at);
}

}  // namespace strata::flatbuffer
