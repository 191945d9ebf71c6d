// Places of bytes in a .pte file: constants and the programs of delegates are in the FlatBuffers
// part or in segments behind it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/name_table.h"
#include "read/flatbuffer/wire.h"
#include "read/torch/counting.h"

namespace strata::executorch {

using flatbuffer::List;
using flatbuffer::Table;
using flatbuffer::Wire;
using torch::Broken;

class Storage {
 public:
  Storage(torch::Counting& counting, const Wire& wire, const Table& program);

  // Constant `number`, from its first byte to the end of the part of the file that it is in. Empty:
  // the file has none.
  std::string_view constant(std::uint32_t number) const;
  // The initial state of a tensor that the program changes.
  std::string_view state(std::uint64_t set, std::uint32_t number) const;
  // The program of a delegate, in the delegate's own format.
  std::string_view delegate(const Table& delegate) const;
  // Data with a name, as delegates refer to it; empty if there is none.
  std::string_view named(std::string_view key) const;

 private:
  std::string_view segment(std::uint32_t number) const;
  std::string_view in_segment(const Table& offsets, std::uint32_t number) const;

  const Wire& wire_;
  Table program_;
  List segments_;
  std::uint64_t base_ = 0;  // of segments
  NameTable segment_of_name_;
};

}  // namespace strata::executorch
