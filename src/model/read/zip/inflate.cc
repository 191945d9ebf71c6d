// zlib, opened when the first compressed entry is read: PyTorch stores its entries as they are.
#include <zlib.h>

#include <algorithm>

#include "base/system_library.h"
#include "read/zip/zip.h"

namespace strata::unzip {

namespace {

constinit SystemLibrary libz(STRATA_LIBZ);
LibraryFunction<decltype(::inflateInit2_)> start(libz, "inflateInit2_");
LibraryFunction<decltype(::inflate)> go_on(libz, "inflate");
LibraryFunction<decltype(::inflateEnd)> finish(libz, "inflateEnd");

// A stream of deflated bytes that is closed when it goes.
class Stream {
 public:
  explicit Stream(std::string_view packed) : left_(packed) {
    constexpr int kNoHeader = -15;  // as zip archives have them
    good_ = start(&state_, kNoHeader, ZLIB_VERSION, static_cast<int>(sizeof state_)) == Z_OK;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (good_) finish(&state_);
  }
  // Writes up to `room` bytes and returns how many; 0 at the end and for damaged bytes.
  std::size_t take(char* to, std::size_t room) {
    if (!good_ || ended_) return 0;
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(room);
    while (state_.avail_out > 0 && !ended_) {
      if (state_.avail_in == 0 && !left_.empty()) {
        const std::size_t piece = std::min<std::size_t>(left_.size(), std::size_t{1} << 20);
        // zlib's interface has no const here, but it does not write.
        state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
        state_.avail_in = static_cast<uInt>(piece);
        left_.remove_prefix(piece);
      }
      const int result = go_on(&state_, Z_NO_FLUSH);
      ended_ = result != Z_OK;
    }
    return room - state_.avail_out;
  }

 private:
  z_stream state_ = {};
  std::string_view left_;
  bool good_ = false, ended_ = false;
};

}  // namespace

Result<std::string> inflate(std::string_view packed, std::uint64_t size) {
  if (Status opened = libz.open(); !opened) return failure(opened);
  // No byte of a deflated stream stands for more than this many.
  constexpr std::uint64_t kMostTimes = 1032;
  if (size / kMostTimes > packed.size())
    return failure("it is said to be larger once unpacked than it can be");
  Stream stream(packed);
  std::string text;
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  while (text.size() < size) {
    const std::size_t before = text.size();
    const std::uint64_t want = std::min(kPiece, size - before);
    text.resize(before + want);
    const std::size_t got = stream.take(text.data() + before, want);
    text.resize(before + got);
    if (got == 0) return failure("its compressed bytes are damaged, or end too early");
  }
  char beyond = 0;
  if (stream.take(&beyond, 1) != 0) return failure("it unpacks to more bytes than it should");
  return text;
}

}  // namespace strata::unzip
