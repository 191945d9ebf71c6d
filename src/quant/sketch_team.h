// Threads that take the elements of one large tensor apart into sketches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "strata/quant/sketch.h"

namespace strata {

// The caller is one of the members; the others sleep while it has nothing for them. A
// member that does not wake up in time holds nobody up: the others take its share. If one
// is stopped by the system at work, the caller goes on alone for a while.
class SketchTeam {
 public:
  explicit SketchTeam(int members);
  ~SketchTeam();
  SketchTeam(const SketchTeam&) = delete;
  SketchTeam& operator=(const SketchTeam&) = delete;

  std::size_t size() const { return threads_.size() + 1; }
  // Adds all elements to the sketches, of which there is one for each member: which goes
  // where is chance, but not their sum. With channels, all go to the first.
  Status add(std::span<Sketch> sketches, DType type, std::span<const std::byte> elements,
             std::int64_t inner);

 private:
  void take_parts(std::size_t member);
  void stand_by(std::size_t member);
  void wait_for_helpers();

  // What is being worked on; written while `inside_` is 0 and `offered_` is false.
  std::span<Sketch> sketches_;
  DType type_ = DType::Undefined;
  std::span<const std::byte> elements_;
  std::size_t part_bytes_ = 0;
  std::atomic<std::size_t> next_ = 0;  // bytes that are taken

  std::atomic<bool> offered_ = false, leave_ = false;
  std::atomic<int> inside_ = 0;          // helpers that may look at the work
  std::atomic<std::uint32_t> turn_ = 0;  // counts offers
  int alone_ = 0;                        // so many more large tensors are not shared
  std::vector<Status> results_;
  std::vector<std::thread> threads_;
};

}  // namespace strata
