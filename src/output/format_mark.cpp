#include "output/format_mark.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

namespace hydrolith {

void write_format(const h5::Group& root, std::string_view format, std::int64_t version) {
  root.write_attribute("format", format);
  root.write_attribute("format_version", version);
  root.write_attribute("created_by", "hydrolith " HYDROLITH_VERSION);
}

void check_format(const h5::Group& root, std::string_view format, std::int64_t version) {
  const auto found = [&]() -> std::string {
    try {
      return root.text_attribute("format");
    } catch (const IoError&) {
      return "no mark of Hydrolith";
    }
  }();
  if (found != format) root.fail(fmt::format("not a \"{}\" file (found: {})", format, found));
  const std::int64_t has = root.integer_attribute("format_version");
  if (has != version)
    root.fail(
        fmt::format("version {} of the format; this program reads version {}. "
                    "Use the version of hydrolith that wrote it ({})",
                    has, version, root.text_attribute("created_by")));
}

}  // namespace hydrolith
