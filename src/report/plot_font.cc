#include <string_view>

#include "report/plot_scene.h"

namespace strata {

namespace {

// A letter for each row, from the top: the five pixels as a digit of base 32, 0 to 9 and a
// to v. `e` is .###., `h` is #...#, so that A is "ehhvhhh". From the blank on.
constexpr std::string_view kGlyphs[] = {
    "0000000",  "4444404",   "aa00000", "aavavaa",   "4fke5u4",   "op248j3",   "cik8lid",
    "4400000",  "2488842",   "8422248", "04lel40",   "044v440",   "000000448", "000v000",
    "00000cc",  "01248g0",   "ehjlphe", "4c4444e",   "eh1248v",   "v2421he",   "26aiv22",
    "vgu11he",  "68guhhe",   "v124888", "ehhehhe",   "ehhf12c",   "0cc0cc0",   "0cc0c48",
    "248g842",  "00v0v00",   "8421248", "eh12404",   "eh1dlle",   "ehhvhhh",   "uhhuhhu",
    "ehggghe",  "sihhhis",   "vgguggv", "vgguggg",   "ehgnhhf",   "hhhvhhh",   "e44444e",
    "72222ic",  "hikokih",   "ggggggv", "hrllhhh",   "hhpljhh",   "ehhhhhe",   "uhhuggg",
    "ehhhlid",  "uhhukih",   "fgge11u", "v444444",   "hhhhhhe",   "hhhhha4",   "hhhllla",
    "hha4ahh",  "hhha444",   "v1248gv", "e88888e",   "0g84210",   "e22222e",   "4ah0000",
    "0000000v", "8420000",   "00e1fhf", "ggmphhu",   "00egghe",   "11djhhf",   "00ehvge",
    "698s888",  "00fhhhf1e", "ggmphhh", "40c444e",   "2062222ic", "ggikoki",   "c44444e",
    "00qllll",  "00mphhh",   "00ehhhe", "00uhhhugg", "00fhhhf11", "00mpggg",   "00fge1u",
    "88s8896",  "00hhhjd",   "00hhha4", "00hhlla",   "00ha4ah",   "00hhhhf1e", "00v248v",
    "2448442",  "4444444",   "8442448", "008l200"};
static_assert(std::size(kGlyphs) == '~' - ' ' + 1);

}  // namespace

Glyph glyph_of(char letter) {
  if (letter < ' ' || letter > '~') letter = '?';
  Glyph glyph;
  const std::string_view rows = kGlyphs[letter - ' '];
  for (std::size_t i = 0; i < rows.size(); ++i)
    glyph.rows[i] = static_cast<std::uint8_t>(rows[i] <= '9' ? rows[i] - '0' : rows[i] - 'a' + 10);
  return glyph;
}

}  // namespace strata
