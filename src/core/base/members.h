// Visits the members of a plain struct in their order, so that no list of them has to be kept
// beside the struct.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace strata {

namespace detail {

struct AnyMember {
  template <class T>
  operator T() const {        // NOLINT(google-explicit-constructor)
    __builtin_unreachable();  // only asked about, never called
  }
};

template <class T, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyMember{})...}; };
}

}  // namespace detail

inline constexpr std::size_t kMostMembers = 24;

// For an aggregate without base classes and arrays: the most values that it can be made of. Fewer
// may not be enough, if one of the others has no usual value.
template <class T, std::size_t Most = kMostMembers + 1>
constexpr std::size_t member_count() {
  if constexpr (Most == 0 || detail::takes_members<T>(std::make_index_sequence<Most>()))
    return Most;
  else
    return member_count<T, Most - 1>();
}

// Calls visit(member) for each. If the number of members were found wrongly, this would not
// compile.
template <class T, class Visit>
void each_member(T& object, const Visit& visit) {
  constexpr std::size_t kCount = member_count<std::remove_const_t<T>>();
  static_assert(kCount > 0, "its members cannot be counted");
  static_assert(kCount <= kMostMembers, "add a line below");
  const auto all = [&](auto&... members) { (visit(members), ...); };
  // clang-format off
  if constexpr (kCount == 1) { auto& [a] = object; all(a); }
  if constexpr (kCount == 2) { auto& [a, b] = object; all(a, b); }
  if constexpr (kCount == 3) { auto& [a, b, c] = object; all(a, b, c); }
  if constexpr (kCount == 4) { auto& [a, b, c, d] = object; all(a, b, c, d); }
  if constexpr (kCount == 5) { auto& [a, b, c, d, e] = object; all(a, b, c, d, e); }
  if constexpr (kCount == 6) { auto& [a, b, c, d, e, f] = object; all(a, b, c, d, e, f); }
  if constexpr (kCount == 7) { auto& [a, b, c, d, e, f, g] = object; all(a, b, c, d, e, f, g); }
  if constexpr (kCount == 8) {
    auto& [a, b, c, d, e, f, g, h] = object;
    all(a, b, c, d, e, f, g, h);
  }
  if constexpr (kCount == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = object;
    all(a, b, c, d, e, f, g, h, i);
  }
  if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = object;
    all(a, b, c, d, e, f, g, h, i, j);
  }
  if constexpr (kCount == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  if constexpr (kCount == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  if constexpr (kCount == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  if constexpr (kCount == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  if constexpr (kCount == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  if constexpr (kCount == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
  if constexpr (kCount == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  }
  if constexpr (kCount == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  }
  if constexpr (kCount == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }
  if constexpr (kCount == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  }
  if constexpr (kCount == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  }
  if constexpr (kCount == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  }
  if constexpr (kCount == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  }
  if constexpr (kCount == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
  // clang-format on
}

}  // namespace strata
