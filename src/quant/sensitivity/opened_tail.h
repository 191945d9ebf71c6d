// The tail of a modified network, opened on an engine.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edit/shared_weights.h"
#include "edit/tail.h"

namespace strata {

class OpenedTail {
 public:
  // `whole` and `weights` must outlive it.
  static Result<OpenedTail> open(const Engine& engine, const Model& whole, const TailCut& cut,
                                 SharedWeights& weights, const SessionOptions& session);

  const std::vector<std::string>& inputs() const { return inputs_; }
  Result<std::vector<HostTensor>> outputs(std::vector<HostTensor> inputs);

 private:
  // Holds the objects that the session refers to.
  struct Kept {
    Model tail;
    SharedModel source;
  };
  OpenedTail(std::unique_ptr<Kept> kept, Session session)
      : kept_(std::move(kept)), session_(std::move(session)) {}

  std::vector<std::string> inputs_;
  std::unique_ptr<Kept> kept_;
  Session session_;  // destroyed before what it refers to
};

}  // namespace strata
