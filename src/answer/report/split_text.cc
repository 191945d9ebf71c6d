#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/visible.h"
#include "report/payload_text.h"
#include "report/split_curve.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kLongestBar = 30;  // columns of the longest bar
constexpr std::size_t kTensors = 12;     // of those shipped, how many are listed
constexpr std::size_t kNameWidth = 40;   // of a choice in the curve

std::string cut_to(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  return "…" + text.substr(text.size() - (width - 1));
}

std::string bar(double part) {
  // Eighths of a column.
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * kLongestBar * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kParts[eighths % 8];
  return out.empty() ? "▏" : out;
}

class SplitText {
 public:
  SplitText(const PayloadSource& source, const NamedSplit& named, const TableStyle& style)
      : source_(source), split_(named.split), named_(named), style_(style) {}

  std::string all() const { return header() + choices() + shipped() + curve() + break_even(); }

  std::string answer() const {
    const std::string sure = named_.how_sure.empty() ? "" : named_.how_sure + ".\n";
    return verdict() + sure;
  }

 private:
  std::string describe_choice(const Partition& partition) const {
    return describe(source_.model, source_.costs, source_.layers, split_, partition);
  }

  std::string header() const {
    const SplitOptions& options = split_.options;
    std::string floats = options.precision == Precision::Raw
                             ? "all as it is"
                             : fmt::format("floats as {}", name_of(options.precision));
    if (options.input_bytes)
      floats += fmt::format(", inputs as {:g} B an element", *options.input_bytes);
    return fmt::format(
        "Edge     {}\nServer   {}\nLink     {}, round trip {}\nShipped  {}; {}\n\n", named_.edge,
        named_.server, link_text(options.link_bytes_per_second),
        human_seconds(options.round_trip_seconds), floats,
        options.returns_results ? "results go back as they are" : "results stay on the server");
  }

  std::string verdict() const {
    const std::string best = visible(describe_choice(split_.best));
    const double link = split_.options.link_bytes_per_second;
    const double latency = split_.latency(split_.best, link);
    if (split_.best.is_all_edge() || split_.best.is_all_server())
      return fmt::format("No split pays on a link of {}: {} is fastest, {}.\n", link_text(link),
                         best, human_seconds(latency));
    const bool edge_is_next =
        split_.latency(split_.all_edge, link) <= split_.latency(split_.all_server, link);
    const Partition& next = edge_is_next ? split_.all_edge : split_.all_server;
    return fmt::format(
        "Best: cut {}, {:.2f} times as fast as {}: {} instead of {}. It ships {} over {}.\n", best,
        split_.latency(next, link) / latency, describe_choice(next), human_seconds(latency),
        human_seconds(split_.latency(next, link)),
        bounded_bytes(Expr(std::int64_t(split_.best.up_bytes)), false), link_text(link));
  }

  std::string choice_line(std::string_view title, const Partition& choice) const {
    const double link = split_.options.link_bytes_per_second;
    return fmt::format(
        "{:<18} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", title,
        human_seconds(split_.latency(choice, link)), human_seconds(choice.edge_seconds),
        human_seconds(choice.up_bytes / link), human_seconds(choice.server_seconds),
        human_seconds(choice.down_bytes / link), human_seconds(choice.round_trip_seconds));
  }

  std::string choices() const {
    std::string out = fmt::format("{:<18} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "",
                                  "Latency", "Edge", "Up", "Server", "Down", "Round trip");
    if (!split_.best.is_all_edge() && !split_.best.is_all_server())
      out += choice_line("best split", split_.best);
    out += choice_line("all on the edge", split_.all_edge);
    out += choice_line("all on the server", split_.all_server);
    return out + "\n";
  }

  std::string shipped() const {
    if (split_.best.shipped.empty()) return "";
    std::string out =
        fmt::format("Shipped to the server: {}\n",
                    bounded_bytes(Expr(std::int64_t(split_.best.up_bytes)), style_.exact));
    std::size_t listed = 0;
    for (std::uint32_t t : split_.best.shipped) {
      if (listed++ == kTensors) {
        out += fmt::format(
            "  {}\n",
            phrased(style_.phrase,
                    make_error(Code::ListIsShort, {},
                               fmt::format("and {} more", split_.best.shipped.size() - kTensors))));
        break;
      }
      const SplitTensor& buffer = split_.tensors[t];
      const Tensor& tensor = source_.model.graph().tensors[buffer.tensor];
      const std::string from =
          buffer.maker == kNone
              ? fmt::format("input {}", in_quotes(tensor.name))
              : fmt::format("after {}",
                            visible(layer_name(source_, split_.steps[buffer.maker].layer)));
      out += fmt::format("  {:>10}  {} {}  {}\n",
                         bounded_bytes(Expr(std::int64_t(split_.tensors[t].bytes)), style_.exact),
                         name_of(tensor.type->dtype), bounded_shape(tensor.type), from);
    }
    return out + "\n";
  }

  std::string curve() const {
    std::string out =
        fmt::format("{:>9} {:>10} {:>10} {:>10}\n", "Link", "Best", "All edge", "All server");
    for (const CurvePoint& point : split_curve(split_)) {
      if (point.is_crossing) continue;  // listed below
      const double edge = split_.latency(split_.all_edge, point.link_bytes_per_second);
      out +=
          fmt::format("{:>9} {:>10} {:>10} {:>10}  {}\n", link_text(point.link_bytes_per_second),
                      human_seconds(point.best_seconds), human_seconds(edge),
                      human_seconds(split_.latency(split_.all_server, point.link_bytes_per_second)),
                      bar(edge > 0 ? point.best_seconds / edge : 1));
    }
    return out + "\n";
  }

  std::string break_even() const {
    if (split_.pieces.size() == 1)
      return fmt::format("At every link from {} to {}: {}\n", link_text(kSlowestLink),
                         link_text(kFastestLink), describe_choice(split_.pieces[0].best));
    std::string out = "Best by link speed:\n";
    for (std::size_t i = split_.pieces.size(); i-- > 0;) {
      const EnvelopePiece& piece = split_.pieces[i];
      const std::string slow = link_text(1 / piece.to), fast = link_text(1 / piece.from);
      const std::string range = i + 1 == split_.pieces.size() ? fmt::format("below {}", fast)
                                : i == 0                      ? fmt::format("above {}", slow)
                                                              : fmt::format("{} to {}", slow, fast);
      out += fmt::format("  {:<26} {}\n", range, cut_to(describe_choice(piece.best), kNameWidth));
    }
    return out;
  }

  const PayloadSource& source_;
  const Split& split_;
  const NamedSplit& named_;
  const TableStyle& style_;
};

}  // namespace

std::string split_answer(const PayloadSource& source, const NamedSplit& named) {
  const TableStyle style;
  return SplitText(source, named, style).answer();
}

std::string split_text(const PayloadSource& source, const NamedSplit& named,
                       const TableStyle& style) {
  return SplitText(source, named, style).all();
}

}  // namespace strata
