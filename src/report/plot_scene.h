// A drawing of lines, dots and text, to be written in several formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct PlotColor {
  std::uint8_t red = 0, green = 0, blue = 0;
};

// In units of about a pixel; y grows downwards.
struct PlotLine {
  double x1, y1, x2, y2;
  PlotColor color;
  double width = 1;
};
struct PlotDot {
  double x, y, radius;
  PlotColor color;
};
struct PlotBox {  // filled
  double x, y, width, height;
  PlotColor color;
};
enum class PlotAnchor : std::uint8_t { Start, Middle, End };
struct PlotText {
  double x, y;  // of the line that letters stand on, at the anchor
  std::string text;
  PlotColor color = {};
  PlotAnchor anchor = PlotAnchor::Start;
  bool upward = false;  // turned to be read from below
};

inline constexpr double kLetterWidth = 6, kLetterHeight = 7;  // of all text

struct PlotScene {
  double width = 0, height = 0;
  std::string title;  // for those who cannot see it
  std::vector<PlotLine> lines;
  std::vector<PlotDot> dots;
  std::vector<PlotBox> boxes;  // over lines and dots
  std::vector<PlotText> texts;
};

std::string scene_to_svg(const PlotScene& scene);
// Two pixels for each unit. Letters are those of ASCII; others become `?`.
Result<std::string> scene_to_png(const PlotScene& scene);

// Nine rows of five bits at most, from the top, the first column in the highest bit; the
// eighth and ninth row are below the line. '?' for what is not ASCII.
inline constexpr std::size_t kGlyphRows = 9, kGlyphColumns = 5;
struct Glyph {
  std::uint8_t rows[kGlyphRows] = {};
};
Glyph glyph_of(char letter);

}  // namespace strata
