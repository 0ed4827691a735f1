#include "core/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace hydrolith {

// Optimal string alignment, row by row: d(i, j) = fewest edits from a[0, i) to b[0, j).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_ago.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
  }
  return row[b.size()];
}

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// One mistake in short words, about one in three letters in long ones; a shared beginning counts
// as close too (visc -> viscosity).
bool is_close(std::string_view word, std::string_view known, std::size_t distance) {
  const std::size_t length = std::max(word.size(), known.size());
  if (distance <= std::max<std::size_t>(1, length / 3) && distance < length) return true;
  return word.size() >= 3 && known.substr(0, word.size()) == word;
}

}  // namespace

std::string closest_word(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 64;
  if (word.empty() || word.size() > longest) return "";
  const std::string wanted = lower(word);
  std::string best;
  std::size_t best_distance = longest;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    const std::string name = lower(candidate);
    const std::size_t distance = edit_distance(wanted, name);
    if (distance < best_distance && is_close(wanted, name, distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string best = closest_word(word, known);
  return best.empty() ? "" : fmt::format(" Did you mean \"{}\"?", best);
}

}  // namespace hydrolith
