// Pieces that several families share.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "strata/zoo/zoo.h"

namespace strata::zoo {

// x·wᵀ + b with weights of the open module itself, or of a module inside it that never runs, such
// as `out_proj.weight` of torch.nn.MultiheadAttention.
inline Var projection(Builder& net, Var x, std::string_view weight, std::string_view bias,
                      std::int64_t out) {
  const Var turned = net.transpose(net.weight(weight, {out, net.number(x, -1)}), {1, 0});
  return net.add(net.matmul(x, turned), net.weight(bias, {out}));
}

// A Sequential: layers one after the other, named 0, 1, 2, … in order. It stays open until end(),
// which returns its output:
//
//   x = Sequence(net, "classifier", x).dropout().linear(10).end();
class Sequence {
 public:
  Sequence(Builder& net, std::string_view name, Var x)
      : net_(net), module_(net.module(name, "Sequential")), x_(x) {}
  Sequence(Builder& net, std::int64_t number, Var x)
      : net_(net), module_(net.module(number, "Sequential")), x_(x) {}

  Sequence& conv(std::int64_t out, const ConvOptions& options) {
    return then(net_.conv(name(), x_, out, options));
  }
  Sequence& batch_norm() { return then(net_.batch_norm(name(), x_)); }
  Sequence& relu() { return then(net_.relu(name(), x_)); }
  Sequence& dropout() { return then(net_.dropout(name(), x_)); }
  Sequence& linear(std::int64_t out) { return then(net_.linear(name(), x_, out)); }
  Sequence& max_pool(const PoolOptions& options) {
    return then(net_.max_pool(name(), x_, options));
  }
  Sequence& adaptive_avg_pool(Pair out) { return then(net_.adaptive_avg_pool(name(), x_, out)); }
  // A module with several layers: `layers(net, x)` returns their output.
  template <class Layers>
  Sequence& block(std::string_view cls, const Layers& layers) {
    const auto module = net_.module(next_++, cls);
    return then(layers(net_, x_));
  }
  // Skips the next number: the original has a module there that does nothing.
  std::int64_t take_number() { return next_++; }
  Sequence& then(Var x) {
    x_ = x;
    return *this;
  }

  Var now() const { return x_; }
  Var end() {
    module_.reset();
    return x_;
  }

 private:
  std::string_view name() {
    const auto written = std::to_chars(name_, name_ + sizeof name_, next_++);
    return {name_, static_cast<std::size_t>(written.ptr - name_)};
  }

  Builder& net_;
  std::optional<Builder::Module> module_;
  Var x_;
  std::int64_t next_ = 0;
  char name_[20];
};

}  // namespace strata::zoo
