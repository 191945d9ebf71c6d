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
  double dash = 0;  // length of dashes and of what is between them; 0: none
};
// Begins and ends upright, and bends between.
struct PlotCurve {
  double x1, y1, x2, y2;
  PlotColor color;
  double width = 1;
  double dash = 0;
};
struct PlotDot {
  double x, y, radius;
  PlotColor color;
  double opacity = 1;
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
  bool bold = false;
};

inline constexpr double kFontSize = 10.5;
// About the width of a letter, of which most fonts have narrower and wider ones, and the height of
// a capital.
inline constexpr double kLetterWidth = 6, kLetterHeight = 8;

struct PlotScene {
  double width = 0, height = 0;
  std::string title;                // for those who cannot see it
  std::vector<PlotBox> areas = {};  // below everything
  std::vector<PlotCurve> curves = {};
  std::vector<PlotLine> lines;
  std::vector<PlotDot> dots;
  std::vector<PlotBox> boxes;  // over lines and dots
  std::vector<PlotText> texts;
};

// Text stays text, in the first of several common fonts that the reader's machine has.
std::string scene_to_svg(const PlotScene& scene);
// Two pixels for each unit. Letters are those of the machine's sans-serif font. Fails with a
// sentence on a machine without cairo.
Result<std::string> scene_to_png(const PlotScene& scene);

}  // namespace strata
