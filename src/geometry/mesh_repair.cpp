#include "geometry/mesh_repair.h"

#include "hydrolith/error.h"

#include "geometry/mesh_edges.h"
#include "geometry/mesh_holes.h"
#include "geometry/mesh_import.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith {

namespace {

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string near(const Vec3& x) {
  return fmt::format("near ({:.4g}, {:.4g}, {:.4g})", x[0], x[1], x[2]);
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

void count_what_is_left(const TriangleMesh& mesh, MeshReport& report) {
  const EdgeCount edges = count_edges(sorted_half_edges(mesh));
  report.boundary_edges = edges.boundary;
  report.non_manifold_edges = edges.non_manifold + edges.flipped;
  report.closed = edges.closed();
}

}  // namespace

TriangleMesh repair(TriangleMesh mesh, const RepairOptions& options, MeshReport& report) {
  require_usable(mesh);
  if (!options.repair) {
    report.merged_vertices += weld(mesh, 0);
    count_what_is_left(mesh, report);
    return mesh;
  }
  constexpr double default_weld = 1e-6;  // of the diagonal: above single precision, below detail
  const double distance =
      options.weld > 0 ? options.weld : default_weld * bounds(mesh).size().norm();

  // What should not be there.
  report.dropped_unreferenced += drop_unreferenced(mesh);
  report.merged_vertices += weld(mesh, distance);
  report.dropped_degenerate += drop_collapsed(mesh);
  report.dropped_duplicate += drop_duplicates(mesh);
  if (mesh.empty())
    throw MeshError("no triangle of the mesh has an area larger than the weld distance allows");

  // What belongs together.
  report.flipped_triangles += orient(mesh);
  report.separated_vertices += separate_sheets(mesh, false);

  // What is missing.
  const HoleCount filled = fill_holes(mesh, options.largest_hole, options.largest_share);
  report.filled_holes += filled.holes;
  report.hole_triangles += filled.triangles;
  report.dropped_degenerate += flip_needles(mesh);
  report.separated_vertices += separate_sheets(mesh, true);

  // Which way is out.
  const OutwardCount outward = face_outwards(mesh);
  report.flipped_triangles += outward.flipped;
  report.turned_inside_out = outward.turned_inside_out;
  drop_unreferenced(mesh);
  count_what_is_left(mesh, report);
  return mesh;
}

std::string MeshReport::summary() const {
  std::vector<std::string> done;
  const auto add = [&](std::size_t n, const char* verb, const char* one, const char* many) {
    if (n > 0) done.push_back(fmt::format("{} {}", verb, counted(n, one, many)));
  };
  add(merged_vertices, "merged", "vertex", "vertices");
  add(dropped_unreferenced, "dropped", "unused vertex", "unused vertices");
  add(dropped_degenerate, "removed", "degenerate triangle", "degenerate triangles");
  add(dropped_duplicate, "dropped", "duplicate triangle", "duplicate triangles");
  add(flipped_triangles, "flipped", "triangle", "triangles");
  add(separated_vertices, "separated sheets at", "vertex", "vertices");
  if (filled_holes > 0)
    done.push_back(fmt::format("filled {} with {}", counted(filled_holes, "hole", "holes"),
                               counted(hole_triangles, "triangle", "triangles")));
  if (turned_inside_out) done.push_back("turned the whole mesh right side out");

  std::vector<std::string> left;
  if (boundary_edges > 0) left.push_back(counted(boundary_edges, "open edge", "open edges"));
  if (non_manifold_edges > 0)
    left.push_back(counted(non_manifold_edges, "non-manifold edge", "non-manifold edges"));
  return fmt::format("{}; {}", done.empty() ? "nothing to repair" : joined(done),
                     closed ? "closed" : "not closed: " + joined(left) + " left");
}

std::string describe_defects(const TriangleMesh& mesh) {
  if (mesh.empty()) return "the mesh has no triangles";
  const std::vector<HalfEdge> sorted = sorted_half_edges(mesh);
  const EdgeCount edges = count_edges(sorted);
  std::vector<std::string> defects;

  if (edges.boundary > 0) {
    const auto loops = boundary_loops(sorted);
    std::string text = counted(edges.boundary, "open edge", "open edges");
    if (!loops.empty()) {
      const auto& largest =
          *std::max_element(loops.begin(), loops.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
      Vec3 centre = Vec3::Zero();
      for (const std::uint32_t v : largest) centre += mesh.vertices[v] / double(largest.size());
      text += fmt::format(" in {}, the largest {}", counted(loops.size(), "hole", "holes"),
                          near(centre));
    }
    defects.push_back(text);
  }

  // The first place of each other kind is enough to find them in an editor.
  bool many_seen = false, disagree_seen = false;
  for_each_edge(sorted, [&](std::span<const HalfEdge> edge) {
    if (is_clean(edge) || edge.size() == 1) return;
    const Vec3 at = 0.5 * (mesh.vertices[edge[0].lo] + mesh.vertices[edge[0].hi]);
    const bool many = edge.size() > 2 || edge[0].lo == edge[0].hi;
    bool& seen = many ? many_seen : disagree_seen;
    if (seen) return;
    seen = true;
    defects.push_back(
        many ? fmt::format("{} with more than two triangles, the first {}",
                           counted(edges.non_manifold, "edge", "edges"), near(at))
             : fmt::format("{} where triangles disagree about the outside, the first {}",
                           counted(edges.flipped, "edge", "edges"), near(at)));
  });
  return fmt::format("{}", fmt::join(defects, "; "));
}

}  // namespace hydrolith
