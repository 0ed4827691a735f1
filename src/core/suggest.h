#pragma once
// "Did you mean ...?"

#include <span>
#include <string>
#include <string_view>

namespace hydrolith {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word closest to `word`, or "" if none is close enough to be meant.
std::string closest_word(std::string_view word, std::span<const std::string> known);

/// ` Did you mean "viscosity"?` with a leading blank, or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace hydrolith
