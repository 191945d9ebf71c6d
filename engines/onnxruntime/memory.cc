#include "memory.h"

#include <cstdlib>
#include <mutex>
#include <new>

#include "library.h"
#include "run_clock.h"

namespace strata::ort {

namespace {

// The size of a block is stored before it, in a header that keeps the alignment.
constexpr std::size_t kHeader = 64;

std::mutex one_recorder;
std::mutex list_access;  // kernels may allocate from other threads
bool recording = false;
std::vector<StrataBlock> blocks;

void record(std::int64_t bytes, const void* address) {
  const std::lock_guard lock(list_access);
  if (recording)
    blocks.push_back(
        {monotonic_ns(), bytes, reinterpret_cast<std::uintptr_t>(address), -1, nullptr});
}

// Throws if there is no memory: ONNX Runtime turns that into a status, whereas a null pointer would
// end the process.
void* allocate(OrtAllocator*, std::size_t size) {
  if (size == 0) return nullptr;
  if (size > SIZE_MAX - 2 * kHeader) throw std::bad_alloc();
  const std::size_t whole = (size + 2 * kHeader - 1) / kHeader * kHeader;
  auto* start = static_cast<char*>(std::aligned_alloc(kHeader, whole));
  if (start == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(start) = size;
  record(static_cast<std::int64_t>(size), start + kHeader);
  return start + kHeader;
}

void give_back(OrtAllocator*, void* address) {
  if (address == nullptr) return;
  char* start = static_cast<char*>(address) - kHeader;
  record(-static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(start)), address);
  std::free(start);
}

struct TracingAllocator : OrtAllocator {
  TracingAllocator()
      : OrtAllocator{}, where(Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault)) {
    version = kApiVersion;
    Alloc = allocate;
    Free = give_back;
    Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
      return static_cast<const TracingAllocator*>(self)->where;
    };
    Reserve = allocate;
  }
  Ort::MemoryInfo where;
};

}  // namespace

void trace_blocks(Ort::SessionOptions& options) {
  // Registered once, and for as long as the environment lives.
  [[maybe_unused]] static const bool kRegistered = [] {
    auto* allocator = new TracingAllocator;
    Ort::ThrowOnError(Ort::GetApi().RegisterAllocator(environment(), allocator));
    return true;
  }();
  options.AddConfigEntry("session.use_env_allocators", "1");
  options.DisableMemPattern();
}

BlockRecorder::BlockRecorder() {
  one_recorder.lock();
  const std::lock_guard lock(list_access);
  blocks.clear();
  recording = true;
}

BlockRecorder::~BlockRecorder() {
  take();
  one_recorder.unlock();
}

std::vector<StrataBlock> BlockRecorder::take() {
  const std::lock_guard lock(list_access);
  recording = false;
  return std::exchange(blocks, {});
}

}  // namespace strata::ort
