// Lets a confined process ask for help from the process that started it, which is not confined.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/message.h"

namespace strata {

enum class OutsideWish : std::uint8_t {
  CreateFile,  // path; the answer is a number, the temporary name and a descriptor
  CommitFile,  // number
  DropFile,    // number
  Judge,       // two .npz files; the answer is what the user's command says of them
  Bench,       // variants and how to compare them; the answer is the result
};

class Outside {
 public:
  struct Answer {
    std::string bytes;    // true and what was asked for, or false and an Error
    int descriptor = -1;  // of CreateFile
  };
  virtual ~Outside() = default;
  virtual Answer ask(OutsideWish wish, const MessageWriter& about) = 0;
  // True if this process may write there by itself.
  virtual bool is_inside(std::string_view path) const = 0;
};

// Null if this process is not confined, or not for a job.
Outside* outside();
void set_outside(Outside* now);

}  // namespace strata
