#include <fmt/format.h>

#include "report/plot_scene.h"

namespace strata {

namespace {

std::string color_text(const PlotColor& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

// Characters that XML has no place for, control characters among them, are left out; the
// rest of a name from a file is text and nothing else.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) >= ' ' && c != 0x7f ? c : '?';
    }
  }
  return out;
}

// Bytes that are no UTF-8 would make the whole file unreadable.
std::string as_utf8(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    bool good = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k)
      good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    // Overlong forms, surrogates and U+FFFE, U+FFFF.
    if (good && length == 3) {
      const auto second = static_cast<unsigned char>(text[i + 1]);
      const auto third = static_cast<unsigned char>(text[i + 2]);
      good = !(lead == 0xe0 && second < 0xa0) && !(lead == 0xed && second >= 0xa0) &&
             !(lead == 0xef && second == 0xbf && third >= 0xbe);
    }
    if (good && length == 4) {
      const auto second = static_cast<unsigned char>(text[i + 1]);
      good = !(lead == 0xf0 && second < 0x90) && !(lead == 0xf4 && second >= 0x90);
    }
    out += good ? text.substr(i, length) : "?";
    i += good ? length : 1;
  }
  return out;
}

std::string xml_text(const std::string& text) { return escaped(as_utf8(text)); }

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

}  // namespace

std::string scene_to_svg(const PlotScene& scene) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"monospace\" font-size=\"10\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      scene.width, scene.height, xml_text(scene.title));
  for (const PlotLine& line : scene.lines)
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"/>\n",
        line.x1, line.y1, line.x2, line.y2, color_text(line.color), line.width);
  for (const PlotDot& dot : scene.dots)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", dot.x,
                       dot.y, dot.radius, color_text(dot.color));
  for (const PlotBox& box : scene.boxes)
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", box.x,
        box.y, box.width, box.height, color_text(box.color));
  for (const PlotText& text : scene.texts) {
    const std::string turn =
        text.upward ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", text.x, text.y) : "";
    out +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}{}>{}</text>\n", text.x, text.y,
                    color_text(text.color), anchor_text(text.anchor), turn, xml_text(text.text));
  }
  return out + "</svg>\n";
}

}  // namespace strata
