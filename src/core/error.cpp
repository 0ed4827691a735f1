#include "hydrolith/error.h"

#include <fmt/format.h>

namespace hydrolith {

std::string Diagnostic::text() const {
  std::string where = file;
  if (line > 0) where += fmt::format(":{}", line);
  if (line > 0 && column > 0) where += fmt::format(":{}", column);
  return path.empty() ? fmt::format("{}  {}", where, message)
                      : fmt::format("{}  {}: {}", where, path, message);
}

namespace {
std::string all_lines(const std::vector<Diagnostic>& all) {
  std::string text;
  for (const Diagnostic& d : all) text += (text.empty() ? "" : "\n") + d.text();
  return text;
}
}  // namespace

SceneError::SceneError(std::vector<Diagnostic> all)
    : Error(all_lines(all)), diagnostics(std::move(all)) {}

}  // namespace hydrolith
