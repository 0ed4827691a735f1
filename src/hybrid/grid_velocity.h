#pragma once
// Velocities beyond the liquid: particles near the surface and near walls read them, and so does
// everything that moves more than a cell in a step.

#include "hybrid/solid_field.h"
#include "hybrid/tile_grid.h"

#include <array>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

using FaceMarks = std::array<std::vector<char>, 3>;

class VelocityExtension {
 public:
  /// Layer by layer, a face that is not known gets the mean of the known faces beside it.
  void extend(const TileGrid& grid, int layers, FaceMarks& known, FaceField& u);

  /// Closed faces move with the solid they lie in: liquid that slips only across the surface, whose
  /// normal is the gradient of the room around (n = grad hat / |grad hat|),
  ///   u <- u - n n . (u - v_s),
  /// liquid that sticks altogether, u <- v_s.
  void follow_solids(const TileGrid& grid, const SolidField& solids, const RigidBodies& bodies,
                     bool sticks, FaceField& u);

 private:
  std::vector<std::uint32_t> front_, next_;
  std::vector<double> value_;
  FaceField before_;
  std::array<std::vector<std::int32_t>, 3> owner_;  // face -> moving body that closes it; -1 wall
};

}  // namespace hydrolith::hybrid
