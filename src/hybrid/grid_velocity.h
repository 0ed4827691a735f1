#pragma once
// Velocities beyond the liquid: particles near the surface and near walls read them, and so does
// everything that moves more than a cell in a step.

#include "hybrid/solid_field.h"
#include "hybrid/tile_grid.h"
#include "hybrid/tile_mask.h"

#include <array>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

using FaceMarks = std::array<CellSet, 3>;  // by axis

class VelocityExtension {
 public:
  /// Layer by layer, a face that is not known gets the mean of the known faces beside it. What is
  /// farther out stays as it is.
  void extend(const TileGrid& grid, int layers, FaceMarks& known, FaceField& u);

  /// Zero on all faces that are not known.
  static void clear(const TileGrid& grid, const FaceMarks& known, FaceField& u);

  /// Closed faces move with the solid they lie in: liquid that slips only across the surface, whose
  /// normal is the gradient of the room around (n = grad hat / |grad hat|),
  ///   u <- u - n n . (u - v_s),
  /// liquid that sticks altogether, u <- v_s. Only known faces: nothing reads the others.
  void follow_solids(const TileGrid& grid, const SolidField& solids, const RigidBodies& bodies,
                     bool sticks, const FaceMarks& known, FaceField& u);

 private:
  void find_owners(const TileGrid& grid, const SolidField& solids);

  LayerSpread spread_;
  FaceMarks closed_;
  std::vector<std::size_t> first_;                  // tile -> first of its closed faces
  std::vector<double> value_;                       // [m/s] of closed faces, tile by tile
  std::array<std::vector<std::int32_t>, 3> owner_;  // face -> moving body that closes it; -1 wall
};

}  // namespace hydrolith::hybrid
