#include "report/sensitivity_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "document/chart/scene.h"
#include "document/output.h"
#include "report/sensitivity_text.h"
#include "strata/base/statistics.h"

namespace strata {

namespace {

constexpr std::size_t kMaxDips = 8;
constexpr double kDip = 4;  // times the median drop; of SQNR these are 6 dB

constexpr PlotColor kInk{40, 40, 40}, kGrid{226, 226, 226}, kSeries{31, 98, 160},
    kPath{176, 203, 226}, kDipColor{200, 90, 0}, kRed{208, 0, 0}, kWhite{255, 255, 255},
    kBar{150, 180, 208}, kStage{190, 190, 190};

struct DotStyle {
  PlotColor color;
  const char* words;
};
// Indexed by DotKind.
constexpr DotStyle kDots[] = {{kSeries, "other"},
                              {{0, 0, 0}, "first or last"},
                              {{142, 36, 170}, "exit of a block, no activation"},
                              {{0, 137, 80}, "neither norm nor activation"}};

// The first that applies: a last layer mostly has neither norm nor activation.
DotKind kind_of(const SensitivityLayer& layer) {
  const std::string place = ", " + layer.place + ",";
  const auto has = [&](std::string_view words) { return place.find(words) != place.npos; };
  if (has(", first,") || has(", last,")) return DotKind::End;
  if (has(", exit of ")) return DotKind::Exit;
  return has(", neither norm nor activation,") ? DotKind::Neither : DotKind::Other;
}

std::string stage_of(const SensitivityLayer& layer) {
  return layer.block.substr(0, std::min(layer.block.find(':'), layer.block.size()));
}

// An SQNR beyond this is far above the others, of which these are the middle half and more.
double far_above(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4], high = values[values.size() * 3 / 4];
  return high + 3 * std::max(high - low, 5.0);
}

// About `count` round numbers from low to high.
std::vector<double> ticks(double low, double high, int count) {
  const double raw = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  std::vector<double> out;
  for (double k = std::ceil(low / step); k * step <= high && out.size() < 20; ++k)
    out.push_back(k * step);
  return out;
}

std::string end_of(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : ".." + text.substr(text.size() - most + 2);
}

class Drawing {
 public:
  Drawing(const SensitivityRun& run, const SensitivityPlot& plot) : run_(run), plot_(plot) {
    const auto count = static_cast<double>(plot.points.size());
    step_ = std::clamp(600 / count, 10.0, 40.0);
    std::size_t longest = 0;
    for (const auto& point : plot.points)
      longest = std::max(longest, end_of(point.label, kMaxLetters).size());
    right_ = kLeft + step_ * count;
    scene_.width = std::max({right_, 460.0, legend()}) + 20;
    right_ = scene_.width - 20;
    scene_.height = kBottom + 22 + static_cast<double>(longest) * kLetterWidth;
  }

  PlotScene draw() {
    const std::string metric = quality_title(run_.quality);
    const std::string what = fmt::format(": {} with one layer quantized", metric);
    scene_.title = run_.model + what;
    const auto letters = static_cast<std::size_t>((scene_.width - kLeft) / kLetterWidth);
    const std::size_t room = std::max<std::size_t>(letters, what.size() + 12) - what.size();
    scene_.texts.push_back({kLeft, 16, end_of(run_.model, room) + what, kInk});
    std::string second = fmt::format("{} samples", run_.samples);
    if (run_.random_data) second += ", RANDOM";
    if (run_.random_weights) second += ", RANDOM weights";
    if (run_.result.partial) second += ", PARTIAL";
    if (plot_.above > 0) second += fmt::format("; {} above the axis, at its end", plot_.above);
    scene_.texts.push_back({kLeft, 30, second, kInk});
    axes(metric);
    stages();
    series();
    red_line();
    for (const std::size_t dip : plot_.dips) label(dip);
    return std::move(scene_);
  }

 private:
  static constexpr double kLeft = 70, kTop = 60, kBottom = 316;
  static constexpr double kDotRadius = 2.8;
  static constexpr std::size_t kMaxLetters = 36;

  double x_of(std::size_t i) const { return kLeft + (static_cast<double>(i) + 0.5) * step_; }
  double y_of(double value) const {
    if (std::isinf(value)) return value > 0 ? kTop : kBottom;
    if (value > plot_.high) return kTop;
    return kBottom - (value - plot_.low) / (plot_.high - plot_.low) * (kBottom - kTop);
  }

  void axes(const std::string& metric) {
    for (const double tick : ticks(plot_.low, plot_.high, 6)) {
      const double y = y_of(tick);
      scene_.lines.push_back({kLeft, y, right_, y, kGrid});
      scene_.texts.push_back(
          {kLeft - 6, y + 3, fmt::format("{:g}", round_off(tick)), kInk, PlotAnchor::End});
    }
    scene_.lines.push_back({kLeft, kTop, kLeft, kBottom, kInk});
    scene_.lines.push_back({kLeft, kBottom, right_, kBottom, kInk});
    scene_.texts.push_back({14, (kTop + kBottom) / 2, metric, kInk, PlotAnchor::Middle, true});
    for (std::size_t i = 0; i < plot_.points.size(); ++i) {
      const auto& point = plot_.points[i];
      scene_.texts.push_back({x_of(i) + 3, kBottom + 8, end_of(point.label, kMaxLetters),
                              point.dips ? kDipColor : kInk, PlotAnchor::End, true});
    }
  }
  // The kinds that are there, each with a dot; where that ends.
  double legend() {
    double x = kLeft + 3;
    for (const DotKind kind : {DotKind::Exit, DotKind::Neither, DotKind::End, DotKind::Other}) {
      const auto is_it = [&](const auto& point) { return point.kind == kind; };
      if (std::none_of(plot_.points.begin(), plot_.points.end(), is_it)) continue;
      const DotStyle& style = kDots[static_cast<std::size_t>(kind)];
      scene_.dots.push_back({x, 41, kDotRadius, style.color});
      scene_.texts.push_back({x + 7, 44, style.words, kInk});
      x += 7 + static_cast<double>(std::string_view(style.words).size() + 3) * kLetterWidth;
    }
    return x - 3 * kLetterWidth;
  }

  // A line where one stage ends and the next begins.
  void stages() {
    for (std::size_t i = 1; i < plot_.points.size(); ++i) {
      const std::string &before = plot_.points[i - 1].stage, &stage = plot_.points[i].stage;
      if (before == stage || before.empty() || stage.empty()) continue;
      const double x = x_of(i) - step_ / 2;
      scene_.lines.push_back({x, kTop, x, kBottom, kStage, 0.6});
    }
  }

  // -0 and the like, from k × step.
  static double round_off(double tick) { return std::abs(tick) < 1e-12 ? 0 : tick; }

  void series() {
    for (std::size_t i = 0; i + 1 < plot_.points.size(); ++i) {
      const auto &a = plot_.points[i].value, &b = plot_.points[i + 1].value;
      if (a && b) scene_.lines.push_back({x_of(i), y_of(*a), x_of(i + 1), y_of(*b), kPath, 1.2});
    }
    for (std::size_t i = 0; i < plot_.points.size(); ++i) {
      const auto& point = plot_.points[i];
      if (!point.value) continue;
      if (point.interval) {
        const double low = y_of(point.interval->low), high = y_of(point.interval->high);
        scene_.lines.push_back({x_of(i), low, x_of(i), high, kBar, 1.4});
        taken_.push_back({x_of(i) - 2, std::min(low, high), 4, std::abs(low - high), kWhite});
      }
      const PlotColor color = kDots[static_cast<std::size_t>(point.kind)].color;
      scene_.dots.push_back({x_of(i), y_of(*point.value), kDotRadius, color});
      taken_.push_back({x_of(i) - 4, y_of(*point.value) - 4, 8, 8, kWhite});
    }
  }

  void red_line() {
    if (!plot_.line || std::isinf(*plot_.line)) return;
    const double y = y_of(*plot_.line);
    scene_.lines.push_back({kLeft, y, right_, y, kRed, 1.5});
    // At the top there is room above the axis' end.
    place(right_ - 4, y, y - 5 < kTop + 4 ? std::array{12.0, 24.0} : std::array{-5.0, 12.0},
          plot_.line_label, kRed, PlotAnchor::End, std::nullopt);
    taken_.push_back({kLeft, y - 2, right_ - kLeft, 4, kWhite});
  }

  void label(std::size_t dip) {
    const auto& point = plot_.points[dip];
    const double x = x_of(dip), y = y_of(*point.value);
    const std::string text = fmt::format(
        "{} {}", end_of(point.label, kMaxLetters),
        std::isinf(*point.value) ? "inf" : quality_with_unit(run_.quality, *point.value));
    const double length = static_cast<double>(text.size()) * kLetterWidth;
    constexpr std::array kHeights = {3.0,   15.0, -9.0,  27.0, -21.0, 39.0,
                                     -33.0, 51.0, -45.0, 63.0, 75.0,  87.0};
    // To the right, to the left where that has a free place or the right has no room.
    const bool right = x + 8 + length<right_, left = x - 8 - length> kLeft;
    const bool to_left = !right || (left && !free_height(x + 8, y, kHeights, text.size()) &&
                                    free_height(x - 8 - length, y, kHeights, text.size()));
    place(to_left ? x - 8 : x + 8, y, kHeights, text, kDipColor,
          to_left ? PlotAnchor::End : PlotAnchor::Start, x);
  }

  static PlotBox text_box(double left, double base, std::size_t letters) {
    return {left - 1, base - kLetterHeight - 2, static_cast<double>(letters) * kLetterWidth + 2,
            kLetterHeight + 5, kWhite};
  }
  // The first of the heights at which nothing else is.
  template <std::size_t N>
  std::optional<double> free_height(double left, double y, const std::array<double, N>& heights,
                                    std::size_t letters) const {
    for (const double height : heights) {
      const PlotBox box = text_box(left, y + height, letters);
      if (box.y < kTop - 10 || box.y + box.height > kBottom) continue;
      if (std::none_of(taken_.begin(), taken_.end(), [&](const PlotBox& other) {
            return box.x < other.x + other.width && other.x < box.x + box.width &&
                   box.y < other.y + other.height && other.y < box.y + box.height;
          }))
        return height;
    }
    return std::nullopt;
  }

  template <std::size_t N>
  void place(double x, double y, const std::array<double, N>& heights, const std::string& text,
             PlotColor color, PlotAnchor anchor, std::optional<double> from) {
    const double length = static_cast<double>(text.size()) * kLetterWidth;
    const double left = anchor == PlotAnchor::End ? x - length : x;
    const double chosen = free_height(left, y, heights, text.size()).value_or(heights[0]);
    const PlotBox box = text_box(left, y + chosen, text.size());
    if (from && chosen != heights[0])
      scene_.lines.push_back({*from, y, x, box.y + box.height / 2, color, 0.6});
    scene_.boxes.push_back(box);
    taken_.push_back(box);
    scene_.texts.push_back({x, y + chosen, text, color, anchor});
  }

  const SensitivityRun& run_;
  const SensitivityPlot& plot_;
  double step_ = 0, right_ = 0;
  std::vector<PlotBox> taken_;
  PlotScene scene_;
};

PlotScene scene_of(const SensitivityRun& run) {
  if (const auto plot = sensitivity_plot(run)) return Drawing(run, *plot).draw();
  PlotScene scene;
  scene.width = 460;
  scene.height = 60;
  scene.title = run.model;
  scene.texts.push_back({20, 30, "fewer than two layers have a value to plot", kInk});
  return scene;
}

}  // namespace

std::optional<SensitivityPlot> sensitivity_plot(const SensitivityRun& run) {
  SensitivityPlot plot;
  std::vector<double> drops, finite;
  for (std::size_t l = 0; l < run.layers.size(); ++l) {
    const LayerFigures figures = figures_of(run, l);
    const SensitivityLayer& layer = run.layers[l];
    plot.points.push_back({layer.block.empty() ? layer.path : layer.block, stage_of(layer),
                           kind_of(layer), figures.value, figures.interval});
    if (figures.drop) drops.push_back(*figures.drop);
    const auto see = [&](double value) {
      if (std::isfinite(value)) finite.push_back(value);
    };
    if (!figures.value) continue;
    see(*figures.value);
    if (figures.interval) see(figures.interval->low), see(figures.interval->high);
  }
  if (finite.size() < 2) return std::nullopt;

  const std::string floats = "all in float";
  if (run.quality == Quality::Sqnr) {
    plot.line = score_of(run.quality, run.result.joint);
    if (plot.line)
      plot.line_label = "all layers together " + quality_with_unit(run.quality, *plot.line);
  } else {
    plot.line = score_of(run.quality, run.result.baseline);
    if (plot.line) plot.line_label = floats + " " + quality_with_unit(run.quality, *plot.line);
  }
  if (plot.line && std::isfinite(*plot.line)) finite.push_back(*plot.line);

  if (run.quality == Quality::Sqnr) {
    const double limit = far_above(finite);
    std::erase_if(finite, [&](double value) { return value > limit; });
    for (const auto& point : plot.points)
      plot.above += point.value && std::isfinite(*point.value) && *point.value > limit ? 1 : 0;
  }
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  double room = 0.06 * (*most - *least);
  if (!(room > 0)) room = std::max(std::abs(*most) * 0.05, 1e-9);
  plot.low = *least - room;
  plot.high = *most + room;

  const double median = drops.empty() ? 0 : median_of(drops);
  for (const std::size_t layer : sensitivity_ranking(run)) {
    const auto amount = drop_of(run.quality, run.result.layers[layer].alone, run.result.baseline);
    if (!amount || !(*amount > 0) || plot.dips.size() == kMaxDips) break;
    if (*amount < kDip * median && !plot.dips.empty()) break;
    if (!plot.points[layer].value) continue;
    plot.dips.push_back(layer);
    plot.points[layer].dips = true;
  }
  return plot;
}

std::string sensitivity_to_svg(const SensitivityRun& run) { return scene_to_svg(scene_of(run)); }
Result<std::string> sensitivity_to_png(const SensitivityRun& run) {
  return scene_to_png(scene_of(run));
}

namespace {

FileKind plot_kind(const std::string& path) {
  return {path.ends_with(".png") ? FileForm::Png : FileForm::Text};
}

}  // namespace

Status save_sensitivity_plot(const SensitivityRun& run, const std::string& path) {
  const Result<std::string> plot =
      path.ends_with(".png") ? sensitivity_to_png(run) : sensitivity_to_svg(run);
  if (!plot) return failure(plot);
  auto output = Output::open(path, plot_kind(path));
  if (!output) return failure(output);
  if (Status status = output->write(*plot); !status) return status;
  return output->finish();
}

Status check_sensitivity_plot(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    return failure(fmt::format("{}: a plot is a .svg or a .png file", path), ErrorKind::Usage);
  return check_output(path, plot_kind(path));
}

}  // namespace strata
