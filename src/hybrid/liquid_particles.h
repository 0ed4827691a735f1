#pragma once
// The liquid's particles: one column per quantity, index = particle. They carry volume, velocity
// and its gradient (affine particle-in-cell, Jiang et al. 2015); the grid is made anew every step.

#include "hydrolith/vec.h"

#include <cstdint>
#include <vector>

namespace hydrolith::hybrid {

using Mat3f = Eigen::Matrix3f;

struct LiquidParticles {
  std::vector<Vec3> x, v;             // [m], [m/s]
  std::vector<Mat3f> c;               // [1/s] row a: gradient of velocity component a
  std::vector<double> volume;         // [m^3], 2D [m^2] times unit depth
  std::vector<float> pressure;        // [Pa] at the end of the last step
  std::vector<std::uint32_t> id;      // stable over the run
  std::vector<std::uint32_t> liquid;  // index into Scene::liquids
  std::uint32_t next_id = 0;

  std::size_t size() const { return x.size(); }
  void add(std::uint32_t of, const Vec3& at, const Vec3& velocity, double with_volume) {
    x.push_back(at), v.push_back(velocity), c.push_back(Mat3f::Zero());
    volume.push_back(with_volume), pressure.push_back(0), id.push_back(next_id++);
    liquid.push_back(of);
  }
  void clear() {
    x.clear(), v.clear(), c.clear(), volume.clear(), pressure.clear(), id.clear(), liquid.clear();
  }
};

}  // namespace hydrolith::hybrid
