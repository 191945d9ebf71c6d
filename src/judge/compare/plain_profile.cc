// Rows are nearly all of a large profile. They are read here, one pass over the text; the rest of
// the document, with no rows in it, goes through the reader of profiles, which checks it.
#include "compare/plain_profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "compare/plain_scan.h"
#include "strata/base/text_map.h"

namespace strata::compare {

namespace {

enum class Field : std::uint8_t {
  Skip,
  Layer,
  Type,
  Input,
  Output,
  Call,
  Depth,
  Measured,
  Low,
  High
};

struct Member {
  std::string_view key;
  Field field = Field::Skip;
  std::size_t measure = 0;
};

Member member_of(std::string_view key) {
  constexpr std::array<Member, 9> kKnown = {
      {{"layer", Field::Layer},
       {"type", Field::Type},
       {"input", Field::Input},
       {"output", Field::Output},
       {"call", Field::Call},
       {"depth", Field::Depth},
       {"time_low", Field::Low},
       {"time_high", Field::High},
       {"time", Field::Measured, static_cast<std::size_t>(Measure::Latency)}}};
  for (const Member& known : kKnown)
    if (known.key == key) return known;
  for (const MeasureFacts& facts : measures())
    if (facts.of_rows && facts.measure < Measure::Peak && facts.name == key)
      return {facts.name, Field::Measured, static_cast<std::size_t>(facts.measure)};
  return {key};
}

// A number, a formula, or null.
void read_size(PlainScan& scan, std::string& out) {
  if (scan.peek() == '"') {
    out += scan.text();
    return;
  }
  if (scan.take_word("null")) {
    out += "?";
    return;
  }
  const auto size = scan.number();
  if (!size.whole) return scan.refuse();
  std::array<char, 24> digits;
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), *size.whole).ptr);
}

// `[[1,3,224,224]]` as `1×3×224×224`.
void read_shapes(PlainScan& scan, std::string& out) {
  out.clear();
  if (scan.peek() == '"') {  // another tool's layout, or 0.1
    out = scan.text();
    return;
  }
  if (scan.take_word("null")) return;
  bool first_shape = true;
  scan.list([&] {
    if (!first_shape) out += ", ";
    first_shape = false;
    if (scan.take_word("null")) {
      out += "?";
      return;
    }
    bool first = true;
    scan.list([&] {
      if (!first) out += "×";
      first = false;
      read_size(scan, out);
    });
    if (first) out += "scalar";
  });
}

// Formulas of cells, which can be understood once the names of symbols are known.
class Formulas {
 public:
  void add(std::string_view text, std::size_t row, std::size_t measure, Certainty certainty) {
    const auto number = static_cast<std::uint32_t>(numbers_.size());
    uses_.push_back({numbers_.try_emplace(text, number).first->second,
                     static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(measure),
                     certainty});
  }

  // False if one of them is none.
  bool fill_in(std::vector<SideRow>& rows, const Profile& profile) const {
    if (uses_.empty()) return true;
    std::vector<std::string> names;
    for (const Inference::Symbol& symbol : profile.symbols)
      if (expr_from_text(symbol.name, {}) != Expr::symbol(symbol.name))
        names.push_back(symbol.name);
    std::sort(names.begin(), names.end());
    std::vector<Expr> formulas(numbers_.size());
    for (const auto& [text, number] : numbers_) {
      const auto formula = expr_from_text(text, names);
      if (!formula) return false;
      formulas[number] = *formula;
    }
    for (const Use& use : uses_)
      rows[use.row].figures[use.measure] = count_figure(formulas[use.formula], use.certainty);
    return true;
  }

 private:
  struct Use {
    std::uint32_t formula, row, measure;
    Certainty certainty;
  };
  TextMap<std::string_view, std::uint32_t> numbers_;  // views of the text, which stays
  std::vector<Use> uses_;
};

class RowReader {
 public:
  explicit RowReader(PlainScan& scan) : scan_(scan) {}

  // Rows have the same members in the same order, so a key is looked for where it was last.
  void read(std::vector<SideRow>& rows) {
    const std::size_t place = rows.size();
    SideRow& row = rows.emplace_back();
    std::optional<double> low, high;
    std::size_t next = 0;
    scan_.object([&](std::string_view key) {
      if (next >= members_.size() || members_[next].key != key) {
        members_.resize(next);
        members_.push_back(member_of(key));
        if (members_.back().field != Field::Skip) seen_.insert(members_.back().key);
      }
      const Member& member = members_[next++];
      switch (member.field) {
        case Field::Skip:
          return scan_.skip(5);
        case Field::Layer:
          row.name = scan_.text();
          return;
        case Field::Type:
          row.type = scan_.text();
          return;
        case Field::Input:
          return read_shapes(scan_, row.input);
        case Field::Output:
          return read_shapes(scan_, row.output);
        case Field::Call:
        case Field::Depth: {
          const auto number = scan_.number();
          if (!number.whole || *number.whole < 0 || *number.whole > 1'000'000'000)
            return scan_.refuse();
          if (member.field == Field::Call && *number.whole > 0)
            row.call = static_cast<std::uint32_t>(*number.whole);
          return;
        }
        case Field::Low:
          low = real();
          return;
        case Field::High:
          high = real();
          return;
        case Field::Measured:
          row.figures[member.measure] = figure(place, member.measure);
      }
    });
    if (Figure& time = at(row.figures, Measure::Latency); time.is_known()) {
      if (!time.real) time = real_figure(*time.number());
      if (low && high) time.interval = Interval{*low, *high};
    }
    if (row.name.empty()) row.name = row.type;
  }
  const Formulas& formulas() const { return formulas_; }

  // The columns say what rows have.
  bool has_columns(const std::vector<Column>& columns) const {
    return std::all_of(seen_.begin(), seen_.end(), [&](std::string_view key) {
      return key == "depth" ||
             std::any_of(columns.begin(), columns.end(),
                         [&](const Column& column) { return column.name == key; });
    });
  }

 private:
  std::optional<double> real() {
    if (scan_.take_word("null")) return std::nullopt;
    return scan_.number().real;
  }

  Figure figure(std::size_t row, std::size_t measure) {
    if (scan_.take_word("null")) return {};
    if (scan_.peek() != '{') return number(Certainty::Exact);
    if (static_cast<Measure>(measure) == Measure::Latency) return scan_.refuse(), Figure();
    Figure out;
    std::size_t members = 0;
    scan_.object([&](std::string_view key) {
      ++members;
      if (key == "formula" && members == 1) return add_formula(row, measure, Certainty::Exact);
      if (key == "at_most" && members == 2) return scan_.skip(1);
      if (key != "at_least" || members != 1) return scan_.refuse();
      out = at_least(row, measure);
    });
    if (members == 0) scan_.refuse();
    return out;
  }

  // Unknown for now where it is a formula.
  Figure at_least(std::size_t row, std::size_t measure) {
    if (scan_.peek() != '{') return number(Certainty::LowerBound);
    std::size_t members = 0;
    scan_.object([&](std::string_view key) {
      ++members;
      if (key == "formula" && members == 1) return add_formula(row, measure, Certainty::LowerBound);
      if (key != "at_most" || members != 2) return scan_.refuse();
      scan_.skip(1);
    });
    if (members == 0) scan_.refuse();
    return {};
  }

  void add_formula(std::size_t row, std::size_t measure, Certainty certainty) {
    const std::string_view text = scan_.plain_text();
    if (scan_.good()) formulas_.add(text, row, measure, certainty);
  }

  Figure number(Certainty certainty) {
    const auto number = scan_.number();
    Figure out;
    if (number.whole) {
      const Expr count(*number.whole);
      if (count.is_unknown()) scan_.refuse();
      out = count_figure(count);
    } else {
      out = real_figure(number.real);
    }
    out.certainty = certainty;
    return out;
  }

  PlainScan& scan_;
  std::vector<Member> members_;  // keys are views of the text, which stays
  std::set<std::string_view> seen_;
  Formulas formulas_;
};

}  // namespace

std::optional<Side> read_plain_profile(std::string_view json, std::string_view label) {
  PlainScan scan(json);
  RowReader reader(scan);
  std::vector<SideRow> rows;
  const char *first = nullptr, *last = nullptr;
  const auto read_rows = [&] {
    if (first != nullptr) return scan.refuse();  // a second list
    first = scan.place();
    scan.list([&] {
      reader.read(rows);
      if (rows.size() > most_rows(json.size())) scan.refuse();
    });
    last = scan.place();
  };
  // Members that are not read here are read with the rest.
  scan.object([&](std::string_view key) {
    if (key != "tables") return scan.skip_unread();
    scan.object([&](std::string_view table) {
      if (table != "layers") return scan.skip_unread();
      scan.object([&](std::string_view part) {
        if (part != "rows") return scan.skip_unread();
        read_rows();
      });
    });
  });
  if (!scan.good() || first == nullptr || scan.peek() != '\0') return std::nullopt;
  const auto position = [&](const char* place) {
    return static_cast<std::size_t>(place - json.data());
  };
  std::string rest(json.substr(0, position(first)));
  rest += "[]";
  rest += json.substr(position(last));
  const auto profile = profile_from_json(rest, label);
  if (!profile || !reader.has_columns(profile->columns)) return std::nullopt;
  Side side = side_of(*profile, std::string(label));
  if (!reader.formulas().fill_in(rows, *profile)) return std::nullopt;
  side.rows = std::move(rows);
  add_uncertainty_of_whole(side);
  return side;
}

}  // namespace strata::compare
