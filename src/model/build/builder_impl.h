// The inside of a Builder: the model that it makes, and the caller's place in it.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "infer/runner.h"
#include "strata/build/builder.h"

namespace strata::build {

// An open module.
struct Frame {
  ScopeId scope = 0;
  std::string_view prefix;     // for node names: `/features/features.0`
  std::string_view component;  // its last part
  bool list = false;
  bool again = false;  // it or a module around it was called before, so its weights exist
  struct Used {
    std::string_view op;
    std::uint32_t count;
  };
  InlineVector<Used, 2> used = {};  // operators in it, for numbering the nodes
};

class Digits {
 public:
  explicit Digits(std::uint64_t number)
      : end_(std::to_chars(buffer_, buffer_ + sizeof buffer_, number).ptr) {}
  operator std::string_view() const {  // NOLINT(google-explicit-constructor)
    return {buffer_, static_cast<std::size_t>(end_ - buffer_)};
  }

 private:
  char buffer_[20];
  char* end_;
};

struct Builder::Impl {
  explicit Impl(DType type) : dtype(type), runner(model, options) {
    frames.reserve(16);
    frames.emplace_back();
  }

  Graph& graph() { return model.graph(); }
  Tensor& tensor(Var x) { return graph().tensors[x.id]; }
  Var add_tensor(std::string_view name, Role role) {
    Tensor& made = graph().tensors.emplace_back();
    made.name = name;
    made.role = role;
    return {static_cast<TensorId>(graph().tensors.size() - 1)};
  }
  Var add_stored(std::string_view name, DType type, std::span<const std::int64_t> dims);
  // Memory that lives as long as the model, which it takes from the model in large pieces.
  char* room(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(room_end - room_at)) {
      const auto piece = model.keep_span<std::max_align_t>(
          (std::max(bytes, kPiece) + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
      room_at = reinterpret_cast<char*>(piece.data());
      room_end = room_at + piece.size_bytes();
    }
    return std::exchange(room_at, room_at + bytes);
  }
  template <class T>
  std::span<T> items(std::size_t count) {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(room_at) % alignof(T);
    if (misaligned != 0)
      room_at += std::min<std::ptrdiff_t>(alignof(T) - misaligned, room_end - room_at);
    return {reinterpret_cast<T*>(room(count * sizeof(T))), count};
  }
  template <class T>
  std::span<const T> copy(std::span<const T> from) {
    const auto to = items<T>(from.size());
    std::uninitialized_copy(from.begin(), from.end(), to.begin());
    return to;
  }
  std::string_view text(std::string_view from) { return join({from}); }
  std::string_view join(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (std::string_view part : parts) size += part.size();
    char* const start = room(size);
    char* at = start;
    for (std::string_view part : parts) at = std::copy(part.begin(), part.end(), at);
    return {start, size};
  }
  // A new node's name, followed by the name of its first output: `/a/Conv_output_0`.
  std::string_view node_name(std::string_view op);
  Var add_node(std::string_view op, std::span<const Var> inputs, std::size_t outputs,
               std::span<const Setting> settings);
  // The constant with these elements, if it exists; `key` identifies it.
  const TensorId* find_constant(DType type, std::span<const std::int64_t> dims,
                                std::string_view bytes, bool as_node);
  // Stores `bytes` once, under its own name.
  Var constant(DType type, std::span<const std::int64_t> dims, std::string_view bytes);

  static constexpr std::size_t kPiece = 8192;

  Model model;
  char* room_at = nullptr;
  char* room_end = nullptr;
  InferOptions options;
  DType dtype;
  Runner runner;
  std::vector<Frame> frames;
  NameTable calls;               // keyed by path
  NameTable weights;             // keyed by name; filled when a module is called again
  std::size_t weights_seen = 0;  // number of tensors whose weights are already in `weights`
  NameTable constants;           // keyed by type, shape and bytes: `key`
  std::string key;
  std::string error;
};

}  // namespace strata::build
