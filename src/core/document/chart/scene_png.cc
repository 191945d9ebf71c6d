#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/visible.h"
#include "document/chart/libcairo.h"
#include "document/chart/scene.h"

namespace strata {

constinit SystemLibrary libcairo("libcairo.so.2");

namespace {

constexpr double kScale = 2;          // pixels for a unit
constexpr double kMaxPixels = 30000;  // of a side; cairo has 32767

// The font of every desktop, by the name under which fontconfig knows it.
constexpr const char* kFont = "sans-serif";

class Canvas {
 public:
  Canvas(double width, double height)
      : surface_(cairo_image_surface_create(kCairoRgb24, side(width), side(height))),
        context_(cairo_create(surface_)) {
    cairo_scale(context_, kScale, kScale);
    paint({255, 255, 255});
    cairo_paint(context_);
    cairo_set_font_size(context_, kFontSize);
  }
  ~Canvas() {
    cairo_destroy(context_);
    cairo_surface_destroy(surface_);
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void draw(const PlotBox& box) {
    paint(box.color);
    cairo_rectangle(context_, box.x, box.y, box.width, box.height);
    cairo_fill(context_);
  }
  void draw(const PlotLine& line) {
    paint(line.color);
    cairo_set_line_width(context_, line.width);
    cairo_set_dash(context_, &line.dash, line.dash > 0 ? 1 : 0, 0);
    cairo_move_to(context_, line.x1, line.y1);
    cairo_line_to(context_, line.x2, line.y2);
    cairo_stroke(context_);
  }
  void draw(const PlotCurve& curve) {
    const double half = (curve.y1 + curve.y2) / 2;
    paint(curve.color);
    cairo_set_line_width(context_, curve.width);
    cairo_set_dash(context_, &curve.dash, curve.dash > 0 ? 1 : 0, 0);
    cairo_move_to(context_, curve.x1, curve.y1);
    cairo_curve_to(context_, curve.x1, half, curve.x2, half, curve.x2, curve.y2);
    cairo_stroke(context_);
  }
  void draw(const PlotDot& dot) {
    paint(dot.color, dot.opacity);
    cairo_new_path(context_);
    cairo_arc(context_, dot.x, dot.y, dot.radius, 0, 2 * std::numbers::pi);
    cairo_fill(context_);
  }
  void draw(const PlotText& text) {
    // Text that is not UTF-8 would put the whole drawing into an error.
    const std::string words = visible(text.text);
    cairo_select_font_face(context_, kFont, kCairoUpright, text.bold ? kCairoBold : kCairoNormal);
    CairoTextExtents extents = {};
    cairo_text_extents(context_, words.c_str(), &extents);
    double start = 0;
    if (text.anchor == PlotAnchor::Middle) start = -extents.x_advance / 2;
    if (text.anchor == PlotAnchor::End) start = -extents.x_advance;
    cairo_save(context_);
    cairo_translate(context_, text.x, text.y);
    if (text.upward) cairo_rotate(context_, -std::numbers::pi / 2);
    paint(text.color);
    cairo_move_to(context_, start, 0);
    cairo_show_text(context_, words.c_str());
    cairo_restore(context_);
  }

  Result<std::string> png() const {
    std::string out;
    const auto write = [](void* closure, const unsigned char* data, unsigned length) {
      static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
      return kCairoSuccess;
    };
    if (cairo_status(context_) != kCairoSuccess ||
        cairo_surface_write_to_png_stream(surface_, write, &out) != kCairoSuccess)
      return failure("the picture cannot be drawn: it may be too large for this machine's memory");
    return out;
  }

 private:
  static int side(double units) {
    return static_cast<int>(std::clamp(std::ceil(units * kScale), 1.0, kMaxPixels));
  }
  void paint(PlotColor color, double opacity = 1) {
    cairo_set_source_rgba(context_, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                          opacity);
  }

  CairoSurface* surface_;
  CairoContext* context_;
};

}  // namespace

Result<std::string> scene_to_png(const PlotScene& scene) {
  if (Status opened = libcairo.open(); !opened) return failure(opened);
  Canvas canvas(scene.width, scene.height);
  for (const PlotBox& box : scene.areas) canvas.draw(box);
  for (const PlotCurve& curve : scene.curves) canvas.draw(curve);
  for (const PlotLine& line : scene.lines) canvas.draw(line);
  for (const PlotDot& dot : scene.dots) canvas.draw(dot);
  for (const PlotBox& box : scene.boxes) canvas.draw(box);
  for (const PlotText& text : scene.texts) canvas.draw(text);
  return canvas.png();
}

}  // namespace strata
