#pragma once
// Mesh files through assimp, checked and repaired or refused with a reason.

#include "geometry/mesh.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace hydrolith {

/// What was found and done; every count that is not zero is worth a line in the log.
struct MeshReport {
  std::size_t merged_vertices = 0, dropped_degenerate = 0, dropped_duplicate = 0;
  std::size_t flipped_triangles = 0, filled_holes = 0, hole_triangles = 0;
  std::size_t dropped_unreferenced = 0;
  std::size_t separated_vertices = 0;  // copies made where sheets touched at an edge or a vertex
  bool turned_inside_out = false;      // the whole mesh had negative volume
  bool closed = false;                 // after repair
  std::size_t boundary_edges = 0, non_manifold_edges = 0;  // what is left
  std::string summary() const;                             // one line for people
};

struct RepairOptions {
  bool repair = true;     ///< false: only weld equal vertices, and report
  double weld = 0;        ///< [m] merge vertices closer than this; 0: 1e-6 of the diagonal
  int largest_hole = 64;  ///< [edges] holes with more edges are left open
  /// Holes with more of their component's area are left open: a missing triangle is a fault, a
  /// missing lid is meant.
  double largest_share = 0.1;
};

/// Welds, drops, orients and closes. Throws MeshError if nothing usable is left.
TriangleMesh repair(TriangleMesh mesh, const RepairOptions& options, MeshReport& report);

/// Reads any file assimp knows (OBJ, PLY, STL, glTF, ...), all meshes of it joined with their
/// node transforms. Files it refers to (.mtl, .bin) are read only from its own folder and below.
/// Coordinates have single precision (PLY: full). Throws IoError (cannot read) or MeshError
/// (nothing usable).
TriangleMesh import_mesh(const std::filesystem::path& file, const RepairOptions& options,
                         MeshReport& report);

/// The same from a file in memory. `kind` is the extension it would have ("obj", "stl", ...),
/// `name` stands for the file in messages. Files it refers to are not read.
TriangleMesh import_mesh_from_memory(std::span<const std::byte> content, const std::string& kind,
                                     const std::string& name, const RepairOptions& options,
                                     MeshReport& report);

/// Whether this build reads mesh files at all (HYDROLITH_MESH_IMPORT).
bool can_import_meshes();

/// What keeps a mesh from being closed: "12 open edges in 2 holes, the largest near (x, y, z);
/// ...". Empty for a closed mesh.
std::string describe_defects(const TriangleMesh& mesh);

}  // namespace hydrolith
