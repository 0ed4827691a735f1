#include "core/memory.h"

#include "core/check.h"

#include <unistd.h>

namespace hydrolith {

void require_memory(double count, double bytes, std::string_view what, double spacing) {
  const double installed =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double gib = 1024.0 * 1024 * 1024;
  require(
      count * bytes <= installed,
      "about {:.2g} {} at a spacing of {:g} m need {:.0f} GiB, and this machine has {:.0f}. Use a "
      "larger spacing; a mesh drawn in millimetres wants `scale: 0.001`",
      count, what, spacing, count * bytes / gib, installed / gib);
}

}  // namespace hydrolith
