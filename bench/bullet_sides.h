#pragma once
// The two engines of the comparison behind one face: the same scene, the same masses, moments,
// friction and starting poses.

#include "hydrolith/simulation.h"

#include "setup/solids.h"

#include <memory>
#include <string>
#include <vector>

namespace hydrolith::bench {

/// One engine with one scene.
class Side {
 public:
  virtual ~Side() = default;
  virtual void step() = 0;
  virtual double time() const = 0;                    // [s]
  virtual std::vector<BodyFrame> bodies() const = 0;  // in the order of the scene
  virtual std::string discretisation() const = 0;     // for the table
  virtual std::string remark() const { return {}; }   // what else there is to say, at the end
};

/// Through the public face of the product.
std::unique_ptr<Side> hydrolith_side(const SceneFile& scene);

enum class BulletShape { hull, parts, primitives };

struct BulletOptions {
  BulletShape shape = BulletShape::parts;
  double dt = 1.0 / 240;  ///< [s]
  double margin = 0.001;  ///< [m] around convex hulls
  int iterations = 10;    ///< of the solver; 10 is Bullet's default
  int segments = 24;      ///< hulls for a turn of a thread
  bool sleeping = false;  ///< bodies at rest are left out, Bullet's default
};

/// Dynamic bodies as one hull of their mesh, as the hulls of their convex parts, or as Bullet's own
/// primitives where parts are such; boxes are always boxes.
std::unique_ptr<Side> bullet_side(const Scene& scene, const Solids& solids,
                                  const BulletOptions& options);

/// "3.24, float" or "3.24, double".
std::string bullet_version();

}  // namespace hydrolith::bench
