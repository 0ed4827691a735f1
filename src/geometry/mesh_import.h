#pragma once
// Mesh files through assimp, checked and repaired or refused with a reason.

#include <filesystem>
#include <string>

#include "geometry/mesh.h"

namespace hydrolith {

/// What was found and done; every count that is not zero is worth a line in the log.
struct MeshReport {
  std::size_t merged_vertices = 0, dropped_degenerate = 0, dropped_duplicate = 0;
  std::size_t flipped_triangles = 0, filled_holes = 0, hole_triangles = 0;
  std::size_t dropped_unreferenced = 0;
  bool turned_inside_out = false;  // the whole mesh had negative volume
  bool closed = false;             // after repair
  std::size_t boundary_edges = 0, non_manifold_edges = 0;  // what is left
  std::string summary() const;     // one line for people
};

struct RepairOptions {
  bool repair = true;          ///< false: only weld equal vertices, and report
  double weld = 0;             ///< [m] merge vertices closer than this; 0: 1e-6 of the diagonal
  int largest_hole = 64;       ///< [edges] holes with more edges are left open
};

/// Welds, drops, orients and closes. Throws MeshError if nothing usable is left.
TriangleMesh repair(TriangleMesh mesh, const RepairOptions& options, MeshReport& report);

/// Reads any file assimp knows (OBJ, PLY, STL, glTF, ...), all meshes of it joined with their
/// node transforms. Throws IoError (cannot read) or MeshError (nothing usable in it).
TriangleMesh import_mesh(const std::filesystem::path& file, const RepairOptions& options,
                         MeshReport& report);

}  // namespace hydrolith
