// A small stroke font: enough for numbers, units and labels.

#include "render/overlay.h"

#include <array>

namespace hydrolith {

namespace {

struct Glyph {
  char letter;
  std::string_view strokes;
};

// Lower-case letters are 4 tall, capitals and digits 6.
constexpr std::array glyphs = {
    Glyph{'0', "100105163645413010"},
    Glyph{'1', "042620"},
    Glyph{'2', "05163645440040"},
    Glyph{'3', "05163645443313 334241301001"},
    Glyph{'4', "30360242"},
    Glyph{'5', "460604344341301001"},
    Glyph{'6', "453616050110304142331302"},
    Glyph{'7', "064610"},
    Glyph{'8', "13040516364544331302011030414233"},
    Glyph{'9', "011030414536160504133344"},
    Glyph{'.', "0000"},
    Glyph{',', "1009"},
    Glyph{':', "0000 0303"},
    Glyph{'-', "0333"},
    Glyph{'+', "0343 2125"},
    Glyph{'=', "0242 0444"},
    Glyph{'/', "0036"},
    Glyph{'(', "16040210"},
    Glyph{')', "06141200"},
    Glyph{'[', "16060010"},
    Glyph{']', "06161000"},
    Glyph{'^', "042644"},
    Glyph{'%', "0046 0606 4040"},
    Glyph{'a', "14344340 421201103041"},
    Glyph{'b', "0600 0314344341301001"},
    Glyph{'c', "4334140301103041"},
    Glyph{'d', "4640 4334140301103041"},
    Glyph{'e', "02424334140301103041"},
    Glyph{'f', "10152636 0434"},
    Glyph{'g', "4334140301103041 44493818"},
    Glyph{'h', "0600 0314344340"},
    Glyph{'i', "0400 0606"},
    Glyph{'j', "141908 1616"},
    Glyph{'k', "0600 0134 1230"},
    Glyph{'l', "0600"},
    Glyph{'m', "0400 03142320 23344340"},
    Glyph{'n', "0400 0314344340"},
    Glyph{'o', "031434434130100103"},
    Glyph{'p', "0408 0314344341301001"},
    Glyph{'q', "4448 4334140301103041"},
    Glyph{'r', "0400 031434"},
    Glyph{'s', "43341403123241301001"},
    Glyph{'t', "16112030 0434"},
    Glyph{'u', "0401103041 4440"},
    Glyph{'v', "042044"},
    Glyph{'w', "0410233044"},
    Glyph{'x', "0044 0440"},
    Glyph{'y', "0420 4418"},
    Glyph{'z', "04440040"},
    Glyph{'P', "00063645443303"},
    Glyph{'K', "0006 4602 1340"},
    Glyph{'M', "0006234640"},
    Glyph{'N', "00064046"},
    Glyph{'J', "3631201001"},
    Glyph{'W', "0610243046"},
};

}  // namespace

std::string_view glyph_strokes(char c) {
  for (const Glyph& glyph : glyphs)
    if (glyph.letter == c) return glyph.strokes;
  return {};
}

}  // namespace hydrolith
