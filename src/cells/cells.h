#pragma once
// Voronoi cells of liquid particles, cut exactly by the surfaces of solids and capped at the free
// surface. Everything the liquid's operators need of geometry, in 2D (unit depth) and 3D.
//
// Cell i holds the points nearest to x_i, minus the solids; where no neighbour bounds it, balls
// around x_i do (free_surface.h). Its boundary is made of
//   faces    towards neighbours j: wet area A_ij and first moment,
//   facets   on solids: pieces of surface triangles (2D: segments) that lie in the cell,
//   the rest, free surface, of which only the size is kept.
// Closed cells fill the liquid without gap or overlap, so the sum of their volumes does not depend
// on where particles are, and the area vectors of each one's boundary sum to zero.

#include "cells/flat_patches.h"
#include "geometry/mesh.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hydrolith {

/// The wet part of the face between cells i and j.
/// The volume of cell i changes with x_j by (push (x_j - x_i) - moment) / |x_j - x_i|.
struct CellFace {
  std::uint32_t neighbour = 0;  // j
  double area = 0;              // [m^2], 2D: [m]
  double spread = 0;            // [m^4], 2D: [m^3]: integral of |y - x_i|^2, the same seen from j
  // Integrals of 1 and of y - x_i, with the weights of free_surface.h at an open cell.
  double push = 0;             // [m^2], 2D: [m]
  Vec3 moment = Vec3::Zero();  // [m^3], 2D: [m^2]
};

/// A piece of a solid's surface inside cell i. It belongs to one triangle (2D: one segment), so
/// that a surface that deforms can share it among its corners; one that lies across triangles in
/// one plane belongs to that where its centre is.
struct CellFacet {
  std::uint32_t particle = 0;  // i
  std::uint32_t surface = 0;   // index into the surfaces
  std::uint32_t element = 0;   // triangle of its mesh; 2D: segment, counted through the loops
  bool taken_back = false;     // out of the solid: takes back what lies in a slit (cell_film.h)
  Vec3 normal = Vec3::Zero();  // out of the cell into the solid
  double area = 0;             // [m^2], 2D: [m]
  Vec3 centre = Vec3::Zero();  // [m] f - x_i
  double spread = 0;           // [m^4], 2D: [m^3]: integral of |y - x_i|^2
  double push = 0;             // as for faces
  Vec3 moment = Vec3::Zero();

  void scale(double by) { area *= by, spread *= by, push *= by, moment *= by; }
};

/// Finds the elements of a surface near a point. Made once for every distinct shape, body frame.
class SurfaceIndex {
 public:
  explicit SurfaceIndex(const TriangleMesh& mesh);  // refers to it
  explicit SurfaceIndex(const Polygons& outline);   // refers to it
  ~SurfaceIndex();
  SurfaceIndex(SurfaceIndex&&) noexcept;
  SurfaceIndex& operator=(SurfaceIndex&&) noexcept;

  int dimensions() const;
  Box3 bounds() const;
  /// Elements whose bounds come within r [m] of x, in ascending order; `out` is overwritten.
  void near(const Vec3& x, double r, std::vector<std::uint32_t>& out) const;
  /// Corners of an element: triangle, counter-clockwise seen from outside the solid; segment with
  /// the solid on its left (two corners, z = 0).
  void corners(std::uint32_t element, Vec3* out) const;
  /// Nearest point of the surface within r [m]: where, outward unit normal (pseudo-normal at edges
  /// and corners) and signed distance, negative in the solid. False if there is none.
  struct Nearest {
    Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
    double distance = 0;
  };
  bool nearest(const Vec3& x, double r, Nearest& out) const;
  /// Length [m] of solid behind a point of the surface, straight in along `direction`; infinite
  /// where the line does not come out within `most` [m].
  double thickness(const Vec3& point, const Vec3& direction, double most) const;
  /// Of a mesh.
  const FlatPatches& flats() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A solid at its present pose.
struct CellSurface {
  const SurfaceIndex* index = nullptr;
  Pose pose;
};

struct CellOptions {
  int dimensions = 3;
  double h = 0;         // [m] spacing of particles
  double near = 0.75;   // [h] R_0 of free_surface.h
  double inner = 1.4;   // [h] R_1
  double outer = 1.6;   // [h] R_2
  double sharp = 0.2;   // [-] openness, of that at a flat surface, from which a cell is wholly open
  double bulge = 0.5;   // [-] volume that a lone particle lacks, about
  bool sealed = false;  // what is open is liquid too thin for cells: all within R_1 counts
};

/// Takes the faces of cells as they are cut, by who has no use for a list of all of them.
class FaceTaker {
 public:
  virtual ~FaceTaker() = default;
  /// From now on there is room for so many faces, those taken before included; in the end there
  /// will be about as many as expected.
  virtual void make_room(std::size_t faces, std::size_t expected) = 0;
  /// Those of cell i get the numbers from `first` on. Several cells are taken at once.
  virtual void take(std::uint32_t i, std::uint32_t first, std::span<const CellFace> faces) = 0;
};

/// All cells; index = particle. Memory is kept from step to step.
struct Cells {
  std::vector<double> volume;  // [m^3], 2D: [m^2]
  std::vector<Vec3> centroid;  // [m] from x_i; of an open cell, of a box around its balls
  std::vector<double> open;    // [-] 0 of a closed cell, 1 at a flat surface
  std::vector<std::uint32_t> first, last;  // faces of i: first[i] .. last[i]
  std::vector<CellFace> faces;  // in the order of ascending neighbours; none if they were taken
  std::vector<std::uint32_t> facet_first;
  std::vector<CellFacet> facets;

  /// Cells whose cut by a solid did not close and that were cut by tangent planes instead.
  std::size_t mended = 0;
  double worst_gap = 0;  // [h^(d-1)] largest |sum of area vectors| of a cell

  std::size_t size() const { return volume.size(); }
  std::span<const CellFace> faces_of(std::size_t i) const {
    return {faces.data() + first[i], last[i] - first[i]};
  }
  std::span<const CellFacet> facets_of(std::size_t i) const {
    return {facets.data() + facet_first[i], facet_first[i + 1] - facet_first[i]};
  }
};

/// Particles must lie outside the solids. The result does not depend on the number of threads.
/// Faces go to the list of `out` if nobody takes them.
class CellBuilder {
 public:
  CellBuilder();
  ~CellBuilder();
  void build(const CellOptions& options, std::span<const Vec3> x,
             std::span<const CellSurface> surfaces, Cells& out, FaceTaker* taker = nullptr);
  /// Cells of these particles, in ascending order, as built just now but with the openings sealed.
  void seal(CellOptions options, std::span<const std::uint32_t> particles,
            std::span<const CellSurface> surfaces, Cells& out, FaceTaker* taker = nullptr);
  /// Particles of the last build within r [m] of x, in ascending order.
  void find(const Vec3& x, double r, std::vector<std::uint32_t>& out) const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace hydrolith
