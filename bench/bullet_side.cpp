#include "bullet_parts.h"
#include "bullet_sides.h"
#include "setup/friction.h"

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hydrolith::bench {

namespace {

btScalar scalar(double x) { return static_cast<btScalar>(x); }
btVector3 to_bullet(const Vec3& x) { return {scalar(x.x()), scalar(x.y()), scalar(x.z())}; }
btQuaternion to_bullet(const Quat& q) {
  return {scalar(q.x()), scalar(q.y()), scalar(q.z()), scalar(q.w())};
}
btTransform to_bullet(const Pose& p) {
  return btTransform(to_bullet(p.orientation), to_bullet(p.position));
}
Vec3 from_bullet(const btVector3& x) { return {x.x(), x.y(), x.z()}; }
Pose from_bullet(const btTransform& t) {
  const btQuaternion q = t.getRotation();
  return {from_bullet(t.getOrigin()), Quat(q.w(), q.x(), q.y(), q.z()).normalized()};
}

/// Collision shapes of one distinct shape of the scene. Bullet's frame has the principal axes.
class ShapeMaker {
 public:
  explicit ShapeMaker(const BulletOptions& options) : options_(options) {}

  btCollisionShape* make(const SolidShape& solid, const Quat& axes) {
    const Pose to_principal = Pose{Vec3::Zero(), axes}.inverse();
    if (options_.shape == BulletShape::hull && solid.kind == BodyKind::dynamic &&
        !std::holds_alternative<BoxShape>(solid.source.kind)) {
      std::vector<Vec3> points = solid.mesh.vertices;
      for (Vec3& x : points) x = to_principal * x;
      return hull(coarse_hull(points));
    }
    // source.at and source.rotate place the shape in its own frame; its mesh lies in the body
    // frame.
    auto* compound = keep<btCompoundShape>();
    const Pose from_source = to_principal * Pose{solid.shape_origin, Quat::Identity()};
    for (ConvexPart& part : convex_parts(solid.source, options_.segments))
      add(*compound, part, from_source);
    return compound;
  }
  std::size_t vertices() const { return vertices_; }

 private:
  template <class T, class... Args>
  T* keep(Args&&... args) {
    auto owned = std::make_unique<T>(std::forward<Args>(args)...);
    T* raw = owned.get();
    shapes_.push_back(std::move(owned));
    return raw;
  }

  btConvexHullShape* hull(const std::vector<Vec3>& points) {
    auto* shape = keep<btConvexHullShape>();
    shape->setMargin(scalar(options_.margin));  // before its box, which contains it
    for (const Vec3& x : points) shape->addPoint(to_bullet(x), false);
    shape->recalcLocalAabb();
    vertices_ += points.size();
    return shape;
  }

  btCollisionShape* primitive(const Shape& shape) {
    const double s = shape.scale.x();
    if (const auto* box = std::get_if<BoxShape>(&shape.kind)) {
      auto* made = keep<btBoxShape>(to_bullet(0.5 * s * box->size));
      made->setMargin(scalar(std::min(options_.margin, 0.1 * s * box->size.minCoeff())));
      return made;
    }
    if (const auto* ball = std::get_if<SphereShape>(&shape.kind))
      return keep<btSphereShape>(scalar(s * ball->radius));
    if (const auto* capsule = std::get_if<CapsuleShape>(&shape.kind))
      return keep<btCapsuleShape>(scalar(s * capsule->radius),
                                  scalar(s * (capsule->height - 2 * capsule->radius)));
    return nullptr;
  }

  void add(btCompoundShape& compound, const ConvexPart& part, const Pose& from_source) {
    const bool is_box = part.primitive && std::holds_alternative<BoxShape>(part.primitive->kind);
    if (part.primitive && (is_box || options_.shape == BulletShape::primitives))
      if (btCollisionShape* own = primitive(*part.primitive)) {
        const Pose placed{part.primitive->at, part.primitive->rotate};
        compound.addChildShape(to_bullet(from_source * placed), own);
        return;
      }
    std::vector<Vec3> points = part.points;
    for (Vec3& x : points) x = from_source * x;
    const bool smooth = points.size() > 50;  // facets of a round primitive
    compound.addChildShape(btTransform::getIdentity(), hull(smooth ? coarse_hull(points) : points));
  }

  BulletOptions options_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::size_t vertices_ = 0;
};

class BulletSide : public Side {
 public:
  BulletSide(const Scene& scene, const Solids& solids, const BulletOptions& options)
      : options_(options), maker_(options), axes_(solids.bodies.axes) {
    world_.setGravity(to_bullet(scene.gravity));
    world_.getSolverInfo().m_numIterations = options.iterations;
    const FrictionTable friction(scene);
    std::vector<btCollisionShape*> shape(solids.shapes.size(), nullptr);
    for (std::size_t i = 0; i < solids.bodies.size(); ++i) {
      const std::uint32_t s = solids.shape_of[i];
      if (!shape[s]) shape[s] = simplest(maker_.make(solids.shapes[s], axes_[i]));
      add_body(solids.bodies, i, shape[s], friction(i, i, 0).along);
      if (solids.bodies.kind[i] == BodyKind::dynamic) parts_ = children(*shape[s]);
    }
  }
  ~BulletSide() override {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override {
    world_.stepSimulation(scalar(options_.dt), 0);
    ++steps_;
  }
  double time() const override { return steps_ * options_.dt; }
  std::vector<BodyFrame> bodies() const override {
    std::vector<BodyFrame> frames;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      BodyFrame f;
      f.pose = from_bullet(bodies_[i]->getWorldTransform());
      f.pose.orientation = (f.pose.orientation * axes_[i].conjugate()).normalized();
      f.velocity = from_bullet(bodies_[i]->getLinearVelocity());
      f.angular_velocity = from_bullet(bodies_[i]->getAngularVelocity());
      frames.push_back(f);
    }
    return frames;
  }
  std::string discretisation() const override {
    if (parts_ == 1) return options_.shape == BulletShape::hull ? "one hull" : "one box";
    return fmt::format("{} {}", parts_,
                       options_.shape == BulletShape::primitives ? "primitives" : "hulls");
  }

 private:
  static int children(const btCollisionShape& shape) {
    return shape.isCompound() ? static_cast<const btCompoundShape&>(shape).getNumChildShapes() : 1;
  }
  /// A compound of one part that stands at the origin is that part.
  static btCollisionShape* simplest(btCollisionShape* shape) {
    if (!shape->isCompound()) return shape;
    auto* compound = static_cast<btCompoundShape*>(shape);
    if (compound->getNumChildShapes() != 1) return shape;
    const btTransform& t = compound->getChildTransform(0);
    const bool home =
        t.getOrigin().length2() < scalar(1e-14) && t.getRotation().getAngle() < scalar(1e-6);
    return home ? compound->getChildShape(0) : shape;
  }

  void add_body(const RigidBodies& b, std::size_t i, btCollisionShape* shape, double mu) {
    const bool dynamic = b.kind[i] == BodyKind::dynamic;
    btRigidBody::btRigidBodyConstructionInfo info(
        dynamic ? scalar(b.mass[i]) : 0, nullptr, shape,
        dynamic ? to_bullet(b.inertia[i]) : btVector3(0, 0, 0));
    info.m_startWorldTransform = to_bullet(Pose{b.x[i], (b.q[i] * axes_[i]).normalized()});
    info.m_friction = scalar(std::sqrt(mu));  // Bullet multiplies the two of a pair
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setLinearVelocity(to_bullet(b.v[i]));
    body.setAngularVelocity(to_bullet(b.omega[i]));
    if (dynamic && !options_.sleeping) body.setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(&body);
  }

  BulletOptions options_;
  ShapeMaker maker_;
  std::vector<Quat> axes_;  // principal axes -> body frame
  int parts_ = 0, steps_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<Side> bullet_side(const Scene& scene, const Solids& solids,
                                  const BulletOptions& options) {
  return std::make_unique<BulletSide>(scene, solids, options);
}

std::string bullet_version() {
  const int v = btGetVersion();
  return fmt::format("{}.{:02}, {}", v / 100, v % 100, btIsDoublePrecision() ? "double" : "float");
}

}  // namespace hydrolith::bench
