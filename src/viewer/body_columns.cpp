#include "viewer/body_columns.h"

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
  return columns;
}

}  // namespace

const std::vector<BodyColumn>& body_columns() {
  static const std::vector<BodyColumn> columns = make_columns();
  return columns;
}

}  // namespace hydrolith
