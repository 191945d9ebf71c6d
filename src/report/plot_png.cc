#include <algorithm>
#include <cmath>

#include "data/libpng.h"
#include "report/plot_scene.h"

namespace strata {

namespace {

constexpr int kScale = 2;              // pixels for a unit
constexpr double kMostPixels = 30000;  // of a side

class Canvas {
 public:
  Canvas(double width, double height)
      : width_(side(width)), height_(side(height)), pixels_(width_ * height_ * 3, 255) {}

  // Draws what is nearer than `reach` to the segment, its edge smoothed.
  void segment(double x1, double y1, double x2, double y2, double reach, PlotColor color) {
    const double dx = x2 - x1, dy = y2 - y1, square = dx * dx + dy * dy;
    const auto from = [](double v) { return static_cast<std::ptrdiff_t>(std::floor(v)); };
    for (auto y = from(std::min(y1, y2) - reach - 1); y <= from(std::max(y1, y2) + reach + 1); ++y)
      for (auto x = from(std::min(x1, x2) - reach - 1); x <= from(std::max(x1, x2) + reach + 1);
           ++x) {
        const double px = static_cast<double>(x) + 0.5, py = static_cast<double>(y) + 0.5;
        const double along =
            square > 0 ? std::clamp(((px - x1) * dx + (py - y1) * dy) / square, 0.0, 1.0) : 0;
        const double away = std::hypot(px - x1 - along * dx, py - y1 - along * dy);
        blend(x, y, std::clamp(reach + 0.5 - away, 0.0, 1.0), color);
      }
  }

  void box(double x1, double y1, double x2, double y2, PlotColor color) {
    for (auto y = std::lround(y1); y < std::lround(y2); ++y)
      for (auto x = std::lround(x1); x < std::lround(x2); ++x) blend(x, y, 1, color);
  }

  Result<std::string> png() const {
    if (Status opened = libpng.open(); !opened) return failure(opened);
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    if (png_image_write_to_memory(&image, nullptr, &size, 0, pixels_.data(), 0, nullptr) == 0)
      return failure(std::string("the plot cannot be drawn: ") + image.message);
    std::string out(size, '\0');
    if (png_image_write_to_memory(&image, out.data(), &size, 0, pixels_.data(), 0, nullptr) == 0)
      return failure(std::string("the plot cannot be drawn: ") + image.message);
    out.resize(size);
    return out;
  }

 private:
  static std::size_t side(double units) {
    return static_cast<std::size_t>(std::clamp(std::ceil(units * kScale), 1.0, kMostPixels));
  }
  void blend(std::ptrdiff_t x, std::ptrdiff_t y, double share, PlotColor color) {
    if (x < 0 || y < 0 || share <= 0) return;
    if (x >= static_cast<std::ptrdiff_t>(width_) || y >= static_cast<std::ptrdiff_t>(height_))
      return;
    std::uint8_t* pixel = &pixels_[(static_cast<std::size_t>(y) * width_ + x) * 3];
    const auto mix = [&](std::uint8_t old, std::uint8_t added) {
      return static_cast<std::uint8_t>(std::lround(old + (added - old) * share));
    };
    pixel[0] = mix(pixel[0], color.red);
    pixel[1] = mix(pixel[1], color.green);
    pixel[2] = mix(pixel[2], color.blue);
  }

  std::size_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

// One `?` for a character of several bytes.
std::string as_ascii(const std::string& text) {
  std::string out;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

void draw_text(Canvas& canvas, const PlotText& text) {
  const std::string letters = as_ascii(text.text);
  double start = 0;  // along the line of text
  const double length = static_cast<double>(letters.size()) * kLetterWidth;
  if (text.anchor == PlotAnchor::Middle) start = -length / 2;
  if (text.anchor == PlotAnchor::End) start = -length;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const Glyph glyph = glyph_of(letters[i]);
    for (std::size_t row = 0; row < kGlyphRows; ++row)
      for (std::size_t column = 0; column < kGlyphColumns; ++column) {
        if ((glyph.rows[row] >> (kGlyphColumns - 1 - column) & 1) == 0) continue;
        const double along =
            start + static_cast<double>(i) * kLetterWidth + static_cast<double>(column);
        const double down = static_cast<double>(row) - kLetterHeight;
        const double x = text.upward ? text.x + down : text.x + along;
        const double y = text.upward ? text.y - along - 1 : text.y + down;
        canvas.box(x * kScale, y * kScale, (x + 1) * kScale, (y + 1) * kScale, text.color);
      }
  }
}

}  // namespace

Result<std::string> scene_to_png(const PlotScene& scene) {
  Canvas canvas(scene.width, scene.height);
  for (const PlotLine& line : scene.lines)
    canvas.segment(line.x1 * kScale, line.y1 * kScale, line.x2 * kScale, line.y2 * kScale,
                   line.width * kScale / 2, line.color);
  for (const PlotDot& dot : scene.dots)
    canvas.segment(dot.x * kScale, dot.y * kScale, dot.x * kScale, dot.y * kScale,
                   dot.radius * kScale, dot.color);
  for (const PlotBox& box : scene.boxes)
    canvas.box(box.x * kScale, box.y * kScale, (box.x + box.width) * kScale,
               (box.y + box.height) * kScale, box.color);
  for (const PlotText& text : scene.texts) draw_text(canvas, text);
  return canvas.png();
}

}  // namespace strata
