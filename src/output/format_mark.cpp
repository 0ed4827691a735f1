#include "output/format_mark.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

namespace hydrolith {

namespace {
constexpr std::int64_t format_version = 1;  // readers refuse any other
}

void write_format(const h5::Group& root, std::string_view format) {
  root.write_attribute("format", format);
  root.write_attribute("format_version", format_version);
  root.write_attribute("created_by", "hydrolith " HYDROLITH_VERSION);
}

void check_format(const h5::Group& root, std::string_view format) {
  const auto found = [&]() -> std::string {
    try {
      return root.text_attribute("format");
    } catch (const IoError&) {
      return "no mark of Hydrolith";
    }
  }();
  if (found != format) root.fail(fmt::format("not a \"{}\" file (found: {})", format, found));
  const std::int64_t version = root.integer_attribute("format_version");
  if (version != format_version)
    root.fail(
        fmt::format("version {} of the format; this program reads version {}. "
                    "Use the version of hydrolith that wrote it ({})",
                    version, format_version, root.text_attribute("created_by")));
}

}  // namespace hydrolith
