#include "base/message.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/system_calls.h"

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

bool send_descriptor(int fd, int descriptor) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return ::sendmsg(fd, &message, MSG_NOSIGNAL) == 1;
}

int receive_descriptor(int fd) {
  char byte = 0;
  iovec part{&byte, 1};
  int descriptor = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(fd, &message, system_calls::kReceiveClosedOnExec) != 1) return -1;
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

}  // namespace strata
