// The messages between a worker and its parent: numbers and texts one after the other, as they are
// in memory, in a frame with its length. Both ends are the same program.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bench/worker.h"
#include "strata/bench/variant.h"
#include "strata/engine/engine.h"

namespace strata {

enum class Request : std::uint8_t { Open, Outputs, Run, RunAt };

class MessageWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const T& item : list) put(item);
  }
  void put(const HostTensor& tensor);
  void put(const Variant& variant);
  void put(const OpenReport& report);
  void put(const BlockReport& report);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Missing fields are read as zero or empty, and `good()` is false from then on.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void take(T& number) {
    const std::string_view piece = take_bytes(sizeof number);
    number = {};
    if (good_) std::memcpy(&number, piece.data(), sizeof number);
  }
  void take(std::string& text) {
    std::uint64_t size = 0;
    take(size);
    text = take_bytes(size);
  }
  template <class T>
  void take(std::vector<T>& list) {
    std::uint64_t size = 0;
    take(size);
    list.clear();
    for (std::uint64_t i = 0; i < size && good_; ++i) take(list.emplace_back());
  }
  void take(HostTensor& tensor);
  void take(Variant& variant);
  void take(OpenReport& report);
  void take(BlockReport& report);

 private:
  std::string_view take_bytes(std::uint64_t size);

  std::string_view rest_;
  bool good_ = true;
};

// A frame's start, as it goes over the wire.
struct FrameHead {
  std::uint64_t magic = kMagic;
  std::uint64_t bytes = 0;
  static constexpr std::uint64_t kMagic = 0x31'74'72'6f'77'61'74'73;  // `statwor1`
};

// Blocks until all is written or read; false if the other end is gone or speaks otherwise.
bool write_frame(int fd, std::string_view bytes);
bool read_frame(int fd, std::string& bytes);

}  // namespace strata
