// Messages between a job and its caller when they are different processes. Both ends are the same
// version of strata.
#pragma once

#include <cstdint>

#include "base/message.h"
#include "strata/base/expr.h"
#include "strata/calibrate/sketch.h"
#include "strata/graph/graph.h"
#include "strata/graph/value.h"
#include "strata/read/source.h"

namespace strata {

enum class JobKind : std::uint8_t {
  Calibrate,
  Sensitivity,
  Quantize,
  Timing,
  Record,
  Try,
  Judge,
  CalibrateDevice
};

// From the job. To all but Started and Done the caller replies with Heard.
enum class JobWord : std::uint8_t {
  Started,
  Progress,  // stage, share
  Counted,   // pieces done, and all of them
  Note,      // sentence
  Resumed,   // sentence
  Wording,   // error; the reply is its sentence in the caller's words
  Wish,      // OutsideWish and what it is about; the reply is the answer
  Done,      // true and the outcome, or false and the error
};

// From the caller.
enum class JobReply : std::uint8_t {
  Heard,  // text, for Wording and Wish, and whether a descriptor follows
  Stop,   // at any time, once
};

// Parts of requests and outcomes that are not plain structs.
void put_in(MessageWriter& out, const Expr& expr);
void take_from(MessageReader& in, Expr& expr);
void put_in(MessageWriter& out, const Scalar& scalar);
void take_from(MessageReader& in, Scalar& scalar);
void put_in(MessageWriter& out, const TypeInfo& type);  // without TypeInfo::encoded
void take_from(MessageReader& in, TypeInfo& type);
// The word alone: the other process opens it.
void put_in(MessageWriter& out, const Source& source);
void take_from(MessageReader& in, Source& source);
void put_in(MessageWriter& out, const Sketch& sketch);
void take_from(MessageReader& in, Sketch& sketch);

}  // namespace strata
