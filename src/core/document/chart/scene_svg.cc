#include <fmt/format.h>

#include "base/visible.h"
#include "document/chart/scene.h"

namespace strata {

namespace {

std::string color_text(const PlotColor& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

// Writes out what XML cannot hold, such as control characters and bytes that are not UTF-8; the
// rest of a name from a file is text and nothing else.
std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

const char* anchor_text(PlotAnchor anchor) {
  switch (anchor) {
    case PlotAnchor::Middle:
      return " text-anchor=\"middle\"";
    case PlotAnchor::End:
      return " text-anchor=\"end\"";
    case PlotAnchor::Start:
      break;
  }
  return "";
}

std::string box_text(const PlotBox& box) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", box.x,
      box.y, box.width, box.height, color_text(box.color));
}

std::string dash_text(double dash) {
  return dash > 0 ? fmt::format(" stroke-dasharray=\"{:g}\"", dash) : "";
}

std::string curve_text(const PlotCurve& curve) {
  const double half = (curve.y1 + curve.y2) / 2;
  const std::string bend = curve.x1 == curve.x2
                               ? fmt::format("V{:.1f}", curve.y2)
                               : fmt::format("C{0:.1f} {1:.1f} {2:.1f} {1:.1f} {2:.1f} {3:.1f}",
                                             curve.x1, half, curve.x2, curve.y2);
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
      curve.x1, curve.y1, bend, color_text(curve.color), curve.width, dash_text(curve.dash));
}

}  // namespace

std::string scene_to_svg(const PlotScene& scene) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" "
      "font-size=\"{3:g}\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      scene.width, scene.height, xml_text(scene.title), kFontSize);
  for (const PlotBox& box : scene.areas) out += box_text(box);
  for (const PlotCurve& curve : scene.curves) out += curve_text(curve);
  for (const PlotLine& line : scene.lines)
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"{}/>\n",
        line.x1, line.y1, line.x2, line.y2, color_text(line.color), line.width,
        dash_text(line.dash));
  for (const PlotDot& dot : scene.dots)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"{}/>\n", dot.x,
                       dot.y, dot.radius, color_text(dot.color),
                       dot.opacity < 1 ? fmt::format(" fill-opacity=\"{:g}\"", dot.opacity) : "");
  for (const PlotBox& box : scene.boxes) out += box_text(box);
  for (const PlotText& text : scene.texts) {
    const std::string turn =
        text.upward ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", text.x, text.y) : "";
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}{}{}>{}</text>\n", text.x,
                       text.y, color_text(text.color), anchor_text(text.anchor), turn,
                       text.bold ? " font-weight=\"bold\"" : "", xml_text(text.text));
  }
  return out + "</svg>\n";
}

}  // namespace strata
