// Arbitrary bytes as a mesh file: import, repair and mass properties either work or throw Error.
// The first byte chooses the kind of file, the rest is its content.

#include "hydrolith/error.h"

#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"
#include "geometry/mesh_import.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

using namespace hydrolith;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kinds = {"obj", "ply", "stl"};
  if (size == 0) return 0;
  const auto content = std::as_bytes(std::span(data + 1, size - 1));
  try {
    MeshReport report;
    const TriangleMesh mesh =
        import_mesh_from_memory(content, kinds[data[0] % kinds.size()], "fuzz", {}, report);
    if (report.closed != is_closed(mesh)) std::abort();
    if (report.summary().empty()) std::abort();
    if (describe_defects(mesh).empty() != report.closed) std::abort();
    MeshDistance(mesh).signed_distance(mesh.vertices[0]);
    if (report.closed) mass_properties(mesh);
  } catch (const Error&) {
    // Refused with a reason: what a person gets for a bad file.
  }
  return 0;
}
