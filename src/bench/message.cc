#include "bench/message.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace strata {

namespace {

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    // No signal if the other end is gone: an error is enough.
    const ssize_t written = ::send(fd, data, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

// Lists the fields of each kind of message once, for both directions.
template <class Side, class Tensor>
void each_field(Side&& side,
                Tensor& tensor) requires std::is_same_v<std::remove_const_t<Tensor>, HostTensor> {
  side(tensor.name), side(tensor.dtype), side(tensor.dims);
}

template <class Side, class Own>
void each_field(Side&& side,
                Own& variant) requires std::is_same_v<std::remove_const_t<Own>, Variant> {
  side(variant.model), side(variant.file), side(variant.inputs), side(variant.engine);
  side(variant.engine_path), side(variant.style), side(variant.batch), side(variant.shape);
  side(variant.mix), side(variant.stored);
  auto& session = variant.session;
  side(session.device), side(session.provider), side(session.precision), side(session.threads);
  side(session.optimization), side(session.trace_time), side(session.trace_memory);
  side(session.fetch), side(session.options);
}

template <class Side, class Own>
void each_field(Side&& side,
                Own& report) requires std::is_same_v<std::remove_const_t<Own>, OpenReport> {
  side(report.open_seconds), side(report.first_seconds), side(report.engine);
  side(report.resident_bytes);
}

template <class Side, class Own>
void each_field(Side&& side,
                Own& report) requires std::is_same_v<std::remove_const_t<Own>, BlockReport> {
  side(report.seconds), side(report.service), side(report.joules);
  side(report.contention.wall_seconds), side(report.contention.cpu_seconds);
  side(report.contention.involuntary), side(report.contention.wait_seconds);
  side(report.contention.steal_seconds), side(report.contention.pressure);
  side(report.runs.waits), side(report.runs.cpu);
  side(report.runs.switches), side(report.runs.pace), side(report.runs.waits_read);
  side(report.peak_resident_bytes);
}

void MessageWriter::put(const HostTensor& tensor) {
  each_field([this](const auto& field) { put(field); }, tensor);
  put(std::string_view(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()));
}
void MessageWriter::put(const Variant& variant) {
  each_field([this](const auto& field) { put(field); }, variant);
}
void MessageWriter::put(const OpenReport& report) {
  each_field([this](const auto& field) { put(field); }, report);
}
void MessageWriter::put(const BlockReport& report) {
  each_field([this](const auto& field) { put(field); }, report);
}

std::string_view MessageReader::take_bytes(std::uint64_t size) {
  if (size > rest_.size()) {
    good_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view piece = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return piece;
}

void MessageReader::take(HostTensor& tensor) {
  each_field([this](auto& field) { take(field); }, tensor);
  std::uint64_t size = 0;
  take(size);
  const std::string_view bytes = take_bytes(size);
  tensor.data.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(tensor.data.data(), bytes.data(), bytes.size());
}
void MessageReader::take(Variant& variant) {
  each_field([this](auto& field) { take(field); }, variant);
}
void MessageReader::take(OpenReport& report) {
  each_field([this](auto& field) { take(field); }, report);
}
void MessageReader::take(BlockReport& report) {
  each_field([this](auto& field) { take(field); }, report);
}

bool write_frame(int fd, std::string_view bytes) {
  const FrameHead head{.bytes = bytes.size()};
  return write_all(fd, reinterpret_cast<const char*>(&head), sizeof head) &&
         write_all(fd, bytes.data(), bytes.size());
}

bool read_frame(int fd, std::string& bytes) {
  FrameHead head;
  if (!read_all(fd, reinterpret_cast<char*>(&head), sizeof head)) return false;
  if (head.magic != FrameHead::kMagic) return false;
  // The buffer grows with the data that arrives: a length alone allocates no memory.
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
  bytes.clear();
  while (bytes.size() < head.bytes) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(kPiece, head.bytes - before));
    if (!read_all(fd, bytes.data() + before, bytes.size() - before)) return false;
  }
  return true;
}

}  // namespace strata
