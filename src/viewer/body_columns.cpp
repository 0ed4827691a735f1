#include "viewer/body_columns.h"

#include <limits>

namespace hydrolith {

namespace {

using VectorOf = std::function<Vec3(const BodyFrame&)>;

void add_vector(std::vector<BodyColumn>& columns, const std::string& name, const std::string& unit,
                const VectorOf& vector) {
  constexpr const char* axes[] = {".x", ".y", ".z"};
  for (int c = 0; c < 3; ++c)
    columns.push_back(
        {name + axes[c], unit, [vector, c](const BodyFrame& b) { return vector(b)[c]; }});
}

constexpr struct {
  const char* name;
  Wrench BodyForces::*member;
} origins[] = {{"pressure", &BodyForces::pressure},
               {"viscosity", &BodyForces::viscosity},
               {"contact", &BodyForces::contact},
               {"friction", &BodyForces::friction}};

/// A vector of the forces, or NaN.
VectorOf of_forces(std::function<Vec3(const BodyForces&)> vector) {
  return [vector](const BodyFrame& b) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return b.forces ? vector(*b.forces) : Vec3(Vec3::Constant(nan));
  };
}

void add_forces(std::vector<BodyColumn>& columns) {
  const auto add = [&](const std::string& name, Vec3 Wrench::*part, const char* unit) {
    add_vector(columns, name, unit, of_forces([part](const BodyForces& f) {
                 Vec3 sum = Vec3::Zero();
                 for (const auto& origin : origins) sum += (f.*origin.member).*part;
                 return sum;
               }));
    for (const auto& origin : origins)
      add_vector(columns, std::string(origin.name) + "_" + name, unit,
                 of_forces([part, member = origin.member](const BodyForces& f) -> Vec3 {
                   return (f.*member).*part;
                 }));
  };
  add("force", &Wrench::force, "N");
  add("torque", &Wrench::torque, "N m");
}

std::vector<BodyColumn> make_columns() {
  std::vector<BodyColumn> columns;
  add_vector(columns, "position", "m", [](const BodyFrame& b) { return b.pose.position; });
  const auto turn = [&](const char* name, auto part) {
    columns.push_back({std::string("orientation") + name, "",
                       [part](const BodyFrame& b) { return part(b.pose.orientation); }});
  };
  turn(".w", [](const Quat& q) { return q.w(); });
  turn(".x", [](const Quat& q) { return q.x(); });
  turn(".y", [](const Quat& q) { return q.y(); });
  turn(".z", [](const Quat& q) { return q.z(); });
  add_vector(columns, "velocity", "m/s", [](const BodyFrame& b) { return b.velocity; });
  add_vector(columns, "angular_velocity", "rad/s",
             [](const BodyFrame& b) { return b.angular_velocity; });
  add_forces(columns);
  return columns;
}

}  // namespace

const std::vector<BodyColumn>& body_columns() {
  static const std::vector<BodyColumn> columns = make_columns();
  return columns;
}

}  // namespace hydrolith
