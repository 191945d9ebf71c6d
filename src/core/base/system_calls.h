// System calls that differ between Linux and macOS. Each system has one file:
// system_calls_linux.cc, system_calls_macos.cc. Everything else that strata calls is POSIX.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace strata::system_calls {

// A file without a name, closed when a program is executed; -1 and errno if there is none.
int make_memory_file(const char* name);

// A path that leads to an open descriptor of this process.
std::string path_of_descriptor(int descriptor);

// The path of the regular file that standard input reads from; empty if there is none.
std::string file_at_standard_input();

// This program's own file; empty if unknown. `to_start`: a name to start it by, also if the file
// was replaced meanwhile.
std::string own_program_file();
std::string own_program_to_start();

// Two random numbers that differ between processes.
std::array<std::uint64_t, 2> random_words();

// Both ends are closed when a program is executed; false and errno if there are none.
bool make_pipe(int (&ends)[2]);
bool make_socket_pair(int (&ends)[2]);

// Flag of recvmsg() for received descriptors that are closed when a program is executed.
extern const int kReceiveClosedOnExec;

// After fork: closes this descriptor and all above it when a program is executed.
void close_from_on_exec(int first);

// After fork: this signal ends the process when its parent ends, where the system can do that.
void end_with_parent(int signal);

// Calls `leave` with the exit code, or with 1 where the system does not tell it, when exit() is
// called.
void call_at_exit(void (*leave)(int exit_code));

// Writes what was written to a file to the disk; -1 and errno if that fails.
int sync_data(int descriptor);

// `KILL`; null if there is no such signal.
const char* signal_name(int signal);
// `Killed`
const char* signal_meaning(int signal);

// Processors that this process may use; 0 if unknown.
int usable_processors();

// True if any thread of this process, other than the calling one, runs or wants to run; false if
// that is unknown.
bool other_threads_are_busy();

// The last such letter in the text; `npos` if there is none.
std::size_t last_of(std::string_view text, char letter);

// When the contents of the file last changed.
std::timespec modified_at(const struct stat& status);

// Eight hexadecimal digits that differ after each start of the machine; empty if unknown.
std::string boot_identity();
// When a process was started, in a unit of the system's own; 0 if there is no such process.
std::uint64_t start_of_process(pid_t process);

// Flag of mmap() that fills memory at once.
extern const int kMapFilled;

// Returns free memory of the heap to the system.
void trim_heap();
// Returns large blocks to the system when they are freed. An engine takes as much memory to open a
// model as the model has, or more, and that would stay in the heap.
void keep_heap_small();

}  // namespace strata::system_calls
