#include "engine/confine.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>

#include <fmt/format.h>

#include "base/system_library.h"

namespace strata {

namespace {

constinit SystemLibrary libseccomp(STRATA_LIBSECCOMP);
LibraryFunction<decltype(::seccomp_init)> filter_init(libseccomp, "seccomp_init");
LibraryFunction<decltype(::seccomp_release)> filter_release(libseccomp, "seccomp_release");
LibraryFunction<decltype(::seccomp_attr_set)> filter_set(libseccomp, "seccomp_attr_set");
LibraryFunction<decltype(::seccomp_rule_add_array)> filter_add(libseccomp,
                                                               "seccomp_rule_add_array");
LibraryFunction<decltype(::seccomp_load)> filter_load(libseccomp, "seccomp_load");

tl::unexpected<Error> cannot(std::string_view what, int error) {
  return failure(Code::CannotConfine,
                 {.detail = fmt::format("{}: {}", what, std::strerror(error))});
}

// ----- Landlock: where files may be written.
//
// Its numbers are written out here, because headers of the system may be older than its kernel
// (Documentation/userspace-api/landlock.rst of Linux says from which version on each exists).

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kRulePathBeneath = 1;

enum Right : std::uint64_t {
  kWriteFile = 1 << 1,
  kChangeFolder = 0x1ff0,  // remove and make entries of every kind
  kRefer = 1 << 13,        // version 2: move entries between folders
  kTruncate = 1 << 14,     // version 3
};
constexpr std::uint64_t kTcp = 3;         // version 4: bind and connect
constexpr std::uint64_t kOtherProcs = 3;  // version 6: abstract sockets and signals

struct Ruleset {
  std::uint64_t files, network, scope;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t folder;
};

int landlock_version() {
  return static_cast<int>(::syscall(kCreateRuleset, nullptr, 0, kAskVersion));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (place < 0) return false;
  const PathRule rule{rights, place};
  return ::syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) == 0;
}

// Devices without which a program, or the driver of a GPU, does not work.
void allow_devices(int ruleset) {
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full"})
    allow(ruleset, device, kWriteFile);
  constexpr std::string_view kDrivers[] = {"nvidia", "dri", "kfd", "accel"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error))
    for (const std::string_view driver : kDrivers)
      if (entry.path().filename().string().starts_with(driver))
        allow(ruleset, entry.path().string(), kWriteFile);
}

Status limit_files(const std::string& folder) {
  const int version = landlock_version();
  if (version < 1) return cannot("Landlock is not available", errno);
  Ruleset asked{kWriteFile | kChangeFolder, kTcp, kOtherProcs};
  if (version >= 2) asked.files |= kRefer;
  if (version >= 3) asked.files |= kTruncate;
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const Descriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &asked, size, 0)));
  if (ruleset < 0) return cannot("Landlock", errno);
  if (!allow(ruleset, folder, asked.files)) return cannot(folder, errno);
  allow_devices(ruleset);
  if (::syscall(kRestrictSelf, static_cast<int>(ruleset), 0) != 0) return cannot("Landlock", errno);
  return {};
}

// ----- seccomp: which system calls there are.

// libseccomp has macros for these, which are not C++.
scmp_arg_cmp is_not(unsigned argument, std::uint64_t number) {
  return {argument, SCMP_CMP_NE, number, 0};
}
scmp_arg_cmp has_bits(unsigned argument, std::uint64_t mask, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, bits};
}

class Filter {
 public:
  Filter() : context_(filter_init(SCMP_ACT_ALLOW)) {}
  ~Filter() {
    if (context_ != nullptr) filter_release(context_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void set(scmp_filter_attr attribute, std::uint32_t value) {
    note(filter_set(context_, attribute, value));
  }
  // A call that fails with this error if all the comparisons hold. Calls that this processor does
  // not have are none that could be made.
  void refuse(int error, int call, std::initializer_list<scmp_arg_cmp> comparisons = {}) {
    if (call == __NR_SCMP_ERROR) return;
    note(filter_add(context_, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), call,
                    static_cast<unsigned>(comparisons.size()), comparisons.begin()));
  }
  void refuse_all(int error, std::initializer_list<int> calls) {
    for (const int call : calls) refuse(error, call);
  }
  Status load() {
    if (context_ == nullptr) return cannot("seccomp", ENOMEM);
    if (problem_ == 0) note(filter_load(context_));
    if (problem_ != 0) return cannot("seccomp", -problem_);
    return {};
  }

 private:
  void note(int result) {
    if (result < 0 && problem_ == 0) problem_ = result;
  }
  scmp_filter_ctx context_;
  int problem_ = 0;  // the first one, negative
};

void refuse_processes(Filter& filter) {
  filter.refuse_all(EPERM, {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork)});
  // Threads are made by clone() with this flag. clone3() hides its flags in memory; without it,
  // libraries take clone().
  filter.refuse(EPERM, SCMP_SYS(clone), {has_bits(0, CLONE_THREAD, 0)});
  filter.refuse(ENOSYS, SCMP_SYS(clone3));
  filter.refuse_all(EPERM, {SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
                            SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_open),
                            SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(tkill)});
  // abort() signals this very process.
  const auto own = static_cast<std::uint32_t>(::getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)})
    filter.refuse(EPERM, call, {is_not(0, own)});
}

void refuse_files(Filter& filter) {
  filter.refuse_all(
      EPERM, {SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown),
              SCMP_SYS(lchown), SCMP_SYS(fchown), SCMP_SYS(fchownat), SCMP_SYS(setxattr),
              SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(removexattr),
              SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(utime), SCMP_SYS(utimes),
              SCMP_SYS(futimesat), SCMP_SYS(utimensat), SCMP_SYS(mq_open), SCMP_SYS(mq_unlink)});
  filter.refuse(EPERM, 452);  // fchmodat2, which this libseccomp may not know by name
  // Before version 3, Landlock does not see files that are cut short without being written to.
  filter.refuse(EPERM, SCMP_SYS(truncate));
  constexpr std::uint64_t kMask = O_TRUNC | O_ACCMODE, kCut = O_TRUNC | O_RDONLY;
  filter.refuse(EPERM, SCMP_SYS(open), {has_bits(1, kMask, kCut)});
  filter.refuse(EPERM, SCMP_SYS(openat), {has_bits(2, kMask, kCut)});
  filter.refuse(ENOSYS, SCMP_SYS(openat2));  // hides its flags in memory
}

void refuse_rest(Filter& filter) {
  filter.refuse(EPERM, SCMP_SYS(socket));
  // Makes system calls that no filter sees.
  filter.refuse_all(
      ENOSYS, {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)});
  // Types into the terminal of the user, who may be at a shell.
  for (const unsigned request : {TIOCSTI, TIOCLINUX})
    filter.refuse(EPERM, SCMP_SYS(ioctl), {has_bits(1, 0xffff'ffff, request)});
  // A model may be run by root.
  filter.refuse_all(EPERM, {SCMP_SYS(mount),         SCMP_SYS(umount2),
                            SCMP_SYS(pivot_root),    SCMP_SYS(chroot),
                            SCMP_SYS(move_mount),    SCMP_SYS(open_tree),
                            SCMP_SYS(fsopen),        SCMP_SYS(fsmount),
                            SCMP_SYS(fspick),        SCMP_SYS(unshare),
                            SCMP_SYS(setns),         SCMP_SYS(init_module),
                            SCMP_SYS(finit_module),  SCMP_SYS(delete_module),
                            SCMP_SYS(kexec_load),    SCMP_SYS(kexec_file_load),
                            SCMP_SYS(reboot),        SCMP_SYS(swapon),
                            SCMP_SYS(swapoff),       SCMP_SYS(sethostname),
                            SCMP_SYS(setdomainname), SCMP_SYS(settimeofday),
                            SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime),
                            SCMP_SYS(adjtimex),      SCMP_SYS(acct),
                            SCMP_SYS(quotactl),      SCMP_SYS(iopl),
                            SCMP_SYS(ioperm),        SCMP_SYS(bpf),
                            SCMP_SYS(userfaultfd),   SCMP_SYS(add_key),
                            SCMP_SYS(request_key),   SCMP_SYS(keyctl)});
}

Status limit_calls() {
  if (Status opened = libseccomp.open(); !opened)
    return failure(Code::CannotConfine, {.detail = opened.error().message});
  Filter filter;
  filter.set(SCMP_FLTATR_CTL_TSYNC, 1);
  // Without these two, the filter would slow the engine down: by a mitigation that kernels before
  // 5.16 turn on for every filtered process, and by comparing calls one after the other.
  filter.set(SCMP_FLTATR_CTL_SSB, 1);
  filter.set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
  refuse_processes(filter);
  refuse_files(filter);
  refuse_rest(filter);
  return filter.load();
}

}  // namespace

Status can_confine() {
  if (landlock_version() < 1) return cannot("Landlock is not available", errno);
  if (Status opened = libseccomp.open(); !opened)
    return failure(Code::CannotConfine, {.detail = opened.error().message});
  return {};
}

Status confine(const std::string& folder) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("no_new_privs", errno);
  if (Status status = limit_files(folder); !status) return status;
  return limit_calls();
}

}  // namespace strata
