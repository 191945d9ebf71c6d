#include "document/shown_texts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "document/cell_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kFewCells = 64;  // which are worded sooner than looked up
constexpr std::size_t kPlaces = 256;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  return (std::rotl(hash, 5) ^ more) * 0x9e3779b97f4a7c15;
}
std::size_t place_of(std::uint64_t hash) { return hash >> 56; }
static_assert(kPlaces == std::size_t{1} << 8);

const Dims* sizes_of(const Cell& cell) {
  const auto* shape = std::get_if<Shape>(&cell.value);
  return shape != nullptr && *shape ? &**shape : nullptr;
}

// A hash of numbers, formulas and shapes, which take longer to word than to compare.
std::optional<std::uint64_t> hash_of(const Cell& cell) {
  if (const auto* expr = std::get_if<Expr>(&cell.value)) return mixed(1, expr->hash());
  if (const auto* real = std::get_if<double>(&cell.value))
    return mixed(2, std::bit_cast<std::uint64_t>(*real));
  const auto* list = std::get_if<Cells>(&cell.value);
  if (list == nullptr) return std::nullopt;
  std::uint64_t hash = 3;
  for (const Cell& item : *list) {
    const Dims* sizes = sizes_of(item);
    if (sizes == nullptr) return std::nullopt;
    for (const Expr& size : *sizes) hash = mixed(hash, size.hash());
  }
  return hash;
}

// True if both are surely worded alike; they need not be cells that hash_of() takes.
bool reads_the_same(const Cell& a, const Cell& b) {
  if (a.certainty != b.certainty || a.value.index() != b.value.index()) return false;
  if (const auto* expr = std::get_if<Expr>(&a.value)) return *expr == std::get<Expr>(b.value);
  if (const auto* real = std::get_if<double>(&a.value))
    return std::bit_cast<std::uint64_t>(*real) ==
           std::bit_cast<std::uint64_t>(std::get<double>(b.value));
  const auto* list = std::get_if<Cells>(&a.value);
  if (list == nullptr) return false;
  const Cells& other = std::get<Cells>(b.value);
  return std::equal(list->begin(), list->end(), other.begin(), other.end(),
                    [](const Cell& x, const Cell& y) {
                      const Dims *left = sizes_of(x), *right = sizes_of(y);
                      return left != nullptr && right != nullptr &&
                             std::equal(left->begin(), left->end(), right->begin(), right->end());
                    });
}

// Names differ at their ends.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t first = 0, last = 0;
  const std::size_t size = std::min(text.size(), sizeof first);
  std::memcpy(&first, text.data(), size);
  std::memcpy(&last, text.data() + text.size() - size, size);
  return mixed(mixed(text.size(), first), last);
}

}  // namespace

ShownTexts::ShownTexts(Unit unit, bool exact, std::size_t cells) : unit_(unit), exact_(exact) {
  if (cells <= kFewCells) return;
  worded_.resize(kPlaces);
  by_text_.assign(kPlaces, kNoText);
}

ShownTexts::Id ShownTexts::add(const Cell& cell) {
  const auto hash = worded_.empty() ? std::nullopt : hash_of(cell);
  if (!hash) return add_text(shown_text(cell, unit_, exact_));
  Worded& worded = worded_[place_of(*hash)];
  if (worded.id != kNoText && reads_the_same(worded.cell, cell)) return worded.id;
  worded.id = add_text(shown_text(cell, unit_, exact_));
  worded.cell = cell;
  return worded.id;
}

ShownTexts::Id ShownTexts::add_text(std::string_view given) {
  Id* place = nullptr;
  if (!by_text_.empty()) {
    place = &by_text_[place_of(hash_of(given))];
    if (*place != kNoText && text(*place) == given) return *place;
  }
  const auto id = static_cast<Id>(ends_.size());
  all_ += given;
  ends_.push_back(all_.size());
  const std::size_t width = display_width(given);
  widths_.push_back(static_cast<std::uint32_t>(width));
  widest_ = std::max(widest_, width);
  if (place != nullptr) *place = id;
  return id;
}

}  // namespace strata
