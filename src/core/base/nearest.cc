#include "base/nearest.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::size_t kMost = 3;            // suggestions
constexpr std::size_t kMinPartLetters = 3;  // letters that a name is recognised by

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::size_t letters(std::string_view word) {
  return word.size() - std::min(word.find_first_not_of('-'), word.size());
}

}  // namespace

// The distances of all pairs of beginnings, in a table with a margin. `last_row` is where a byte
// stood last in `a`, `last_column` where the present byte of `a` stood last in `b`: an exchange
// reaches back to there.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 2, far = a.size() + b.size();
  std::vector<std::size_t> table((a.size() + 2) * width, far);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i + 1, 1) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(1, j + 1) = j;
  std::array<std::size_t, 256> last_row{};
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t last_column = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t row = last_row[static_cast<unsigned char>(b[j - 1])];
      const std::size_t column = last_column;
      const bool same = a[i - 1] == b[j - 1];
      if (same) last_column = j;
      at(i + 1, j + 1) = std::min({at(i, j) + (same ? 0 : 1), at(i + 1, j) + 1, at(i, j + 1) + 1,
                                   at(row, column) + (i - row - 1) + 1 + (j - column - 1)});
    }
    last_row[static_cast<unsigned char>(a[i - 1])] = i;
  }
  return at(a.size() + 1, b.size() + 1);
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
  struct Near {
    std::size_t distance;
    const std::string* name;
  };
  const std::string wanted = lower(word);
  const std::size_t most = std::max<std::size_t>(1, letters(wanted) / 3);
  std::vector<Near> near;
  for (const std::string& name : names) {
    if (name == word) continue;  // it was refused for another reason
    const std::size_t longer = std::max(name.size(), wanted.size());
    const std::size_t shorter = std::min(name.size(), wanted.size());
    const std::string known = lower(name);
    if (letters(wanted) >= kMinPartLetters && known.find(wanted) != known.npos)
      near.push_back({longer - shorter, &name});  // letters to add
    else if (longer - shorter <= most)  // else it is further away, and a name may be very long
      if (const std::size_t distance = edit_distance(wanted, known); distance <= most)
        near.push_back({distance, &name});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const Near& a, const Near& b) { return a.distance < b.distance; });
  std::vector<std::string> out;
  for (const Near& one : near)
    if (out.size() < kMost && std::find(out.begin(), out.end(), *one.name) == out.end())
      out.push_back(*one.name);
  return out;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string> near = nearest(word, names);
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i)
    text += (i == 0 ? " (did you mean " : i + 1 == near.size() ? " or " : ", ") + near[i];
  return text.empty() ? text : text + "?)";
}

}  // namespace strata
