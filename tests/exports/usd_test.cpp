// USD, read back by a strict reader of its own (Debian has no USD library).

#include "exported.h"
#include "usd_reader.h"

#include <sys/resource.h>

#include <cmath>
#include <iterator>

namespace hydrolith::test {

namespace {

std::vector<double> numbers_of(const std::vector<Vec3f>& values) {
  std::vector<double> out;
  for (const Vec3f& v : values)
    for (int k = 0; k < 3; ++k) out.push_back(v[k]);
  return out;
}

/// Read as double, the shortest decimals of floats are those floats to float precision.
bool same_floats(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (static_cast<float>(a[i]) != static_cast<float>(b[i])) return false;
  return true;
}

}  // namespace

TEST_CASE("a USD file tells its units, its axis and its times") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();  // z is up
  export_to(folder, objects, "usd");
  UsdPrim root = read_usda(folder.path() / "run.usda");
  CHECK(root.metadata["defaultPrim"].text == "run");
  CHECK(root.metadata["upAxis"].text == "Z");
  CHECK(root.metadata["metersPerUnit"].numbers == std::vector<double>{1});
  CHECK(root.metadata["timeCodesPerSecond"].numbers == std::vector<double>{30});
  CHECK(root.metadata["startTimeCode"].numbers == std::vector<double>{3});
  CHECK(root.metadata["endTimeCode"].numbers == std::vector<double>{5});
  CHECK(root.child("run").attributes.empty());
}

TEST_CASE("a run whose up is neither y nor z is turned to y in USD") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  objects.up = Vec3::UnitX();
  export_to(folder, objects, "usd");
  UsdPrim root = read_usda(folder.path() / "run.usda");
  CHECK(root.metadata["upAxis"].text == "Y");
  const std::vector<double> q = root.child("run").attribute("xformOp:orient").value.numbers;
  REQUIRE(q.size() == 4);
  const Vec3 up = Quat(q[0], q[1], q[2], q[3]) * Vec3(Vec3::UnitX());
  CHECK((up - Vec3::UnitY()).norm() < 1e-12);  // round-off of a unit vector
}

TEST_CASE("liquids are points in USD, with ids, velocities and their other fields in every frame") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "usd");
  const UsdPrim root = read_usda(folder.path() / "run.usda");
  for (const auto& [name, liquid] : {std::pair{"water", 0}, std::pair{"huile_d_olive___t", 1}}) {
    CAPTURE(name);
    const UsdPrim& points = root.child("run").child(name);
    CHECK(points.type == "Points");
    for (const int index : {3, 4, 5}) {
      const LiquidFrame expected = export_frame(objects, index).liquids[liquid];
      const auto sample = [&](const char* attribute) {
        return points.attribute(attribute).samples.at(index);
      };
      CHECK(sample("points").items == expected.position.size());
      CHECK(same_floats(sample("points").numbers, numbers_of(expected.position)));
      CHECK(sample("ids").numbers == std::vector<double>(expected.id.begin(), expected.id.end()));
      CHECK(same_floats(sample("velocities").numbers,
                        {expected.fields[0].values.begin(), expected.fields[0].values.end()}));
      CHECK(same_floats(sample("primvars:pressure").numbers,
                        {expected.fields[1].values.begin(), expected.fields[1].values.end()}));
      CHECK(sample("extent").numbers.size() == 6);
    }
    CHECK(points.attribute("points").samples.size() == 3);
    CHECK(points.attribute("primvars:pressure").type == "float[]");
    CHECK(points.attribute("widths").value.numbers[0] == doctest::Approx(objects.spacing));
  }
}

TEST_CASE("bodies are meshes in USD with their pose in every frame; same shapes are told once") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "usd");
  UsdPrim root = read_usda(folder.path() / "run.usda");
  const char* names[] = {"tank", "brick_0", "brick_1"};
  for (std::size_t b = 0; b < 3; ++b) {
    CAPTURE(names[b]);
    UsdPrim body = root.child("run").child(names[b]);
    CHECK(body.type == "Mesh");
    CHECK(body.metadata["references"].text == (b == 0 ? "" : "/shapes/shape_1"));
    CHECK(body.attribute("xformOpOrder").value.text == "xformOp:translatexformOp:orient");
    CHECK(body.attributes.contains("primvars:displayOpacity") == objects.bodies[b].container);
    std::vector<double> last;
    for (const int index : {3, 4, 5}) {
      const Pose pose = export_frame(objects, index).bodies[b].pose;
      CHECK(body.attribute("xformOp:translate").samples.at(index).numbers ==
            std::vector<double>{pose.position.x(), pose.position.y(), pose.position.z()});
      const std::vector<double> q = body.attribute("xformOp:orient").samples.at(index).numbers;
      REQUIRE(q.size() == 4);
      const Quat turn(q[0], q[1], q[2], q[3]);  // or its opposite, which is the same orientation
      CHECK(std::abs(turn.dot(pose.orientation)) == doctest::Approx(1).epsilon(1e-12));
      if (!last.empty()) CHECK(turn.dot(Quat(last[0], last[1], last[2], last[3])) >= 0);
      last = q;
    }
  }
  CHECK(root.child("shapes").children.size() == 1);
  for (const UsdPrim& shape :
       {root.child("run").child("tank"), root.child("shapes").child("shape_1")}) {
    const SurfaceMesh& mesh = objects.meshes[shape.name == "tank" ? 0 : 1];
    CHECK(shape.specifier == (shape.name == "tank" ? "def" : "class"));  // no class is drawn
    CHECK(same_floats(shape.attribute("points").value.numbers, numbers_of(mesh.vertices)));
    CHECK(shape.attribute("faceVertexCounts").value.numbers == std::vector<double>(4, 3));
    CHECK(shape.attribute("faceVertexIndices").value.items == 12);
    UsdAttribute normals = shape.attribute("normals");
    CHECK(normals.metadata["interpolation"].text == "faceVarying");
    REQUIRE(normals.value.items == 12);
    // The first triangle of a tetrahedron lies in z = 0, seen from below, and its edges are sharp.
    CHECK(std::vector<double>(normals.value.numbers.begin(), normals.value.numbers.begin() + 9) ==
          std::vector<double>{0, 0, -1, 0, 0, -1, 0, 0, -1});
  }
}

TEST_CASE("a body that never moves has one pose in USD and no samples") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  const auto exporter = find_export_format("usd").make(objects, {.run = folder, .folder = folder});
  Frame frame = export_frame(objects, 0);
  for (; frame.index < 3; ++frame.index) {
    frame.bodies[2].pose.position.y() = static_cast<double>(frame.index);
    exporter->write(frame);
  }
  exporter->finish();
  const UsdPrim root = read_usda(folder.path() / "run.usda");
  const UsdPrim& tank = root.child("run").child("tank");
  CHECK(tank.attribute("xformOp:translate").samples.empty());
  const Vec3& at = frame.bodies[0].pose.position;
  CHECK(tank.attribute("xformOp:translate").value.numbers ==
        std::vector<double>{at.x(), at.y(), at.z()});
  CHECK(tank.attribute("xformOp:orient").value.numbers.size() == 4);
  CHECK(root.child("run").child("brick_1").attribute("xformOp:translate").samples.size() == 3);
}

TEST_CASE("the surface of a liquid is a mesh in USD whose parts agree in every frame") {
  const TemporaryFolder folder;
  export_to(folder, sample_objects(), "usd", "surface");
  const UsdPrim root = read_usda(folder.path() / "run.usda");
  const UsdPrim& surface = root.child("run").child("water_surface");
  CHECK(surface.type == "Mesh");
  for (const int index : {3, 4, 5}) {
    const auto sample = [&](const char* name) { return surface.attribute(name).samples.at(index); };
    const std::size_t points = sample("points").items;
    CHECK(points > 0);
    CHECK(sample("velocities").items == points);
    CHECK(sample("normals").items == points);
    CHECK(sample("faceVertexIndices").items == 3 * sample("faceVertexCounts").items);
    for (const double corner : sample("faceVertexIndices").numbers) CHECK(corner < double(points));
  }
}

TEST_CASE("many bodies and long runs need two open files") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  objects.liquids.clear();
  objects.bodies.assign(50, objects.bodies[1]);
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const auto open_files = std::distance(fs::directory_iterator("/proc/self/fd"), {});
  rlimit few = usual;
  few.rlim_cur = static_cast<rlim_t>(open_files + 10);  // fewer than there are bodies
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto exporter = find_export_format("usd").make(objects, {.run = folder, .folder = folder});
  Frame frame{.index = 0, .step = 0, .time = 0, .liquids = {}, .bodies = {}};
  frame.bodies.resize(50);
  for (; frame.index < 2000; ++frame.index) {  // 70 KB of samples each: they wait on disk
    for (BodyFrame& body : frame.bodies) body.pose.position.x() = std::sqrt(double(frame.index));
    exporter->write(frame);
  }
  exporter->finish();
  setrlimit(RLIMIT_NOFILE, &usual);
  const UsdPrim root = read_usda(folder.path() / "run.usda");
  REQUIRE(root.child("run").children.size() == 50);
  for (const UsdPrim& body : root.child("run").children) {
    const auto& samples = body.attribute("xformOp:translate").samples;
    REQUIRE(samples.size() == 2000);
    for (const auto& [time, value] : samples) CHECK(value.numbers[0] == std::sqrt(time));
  }
  CHECK(root.child("run").children[49].name == "brick_0_50");  // the same name 50 times
}

TEST_CASE("an export that is not finished leaves no file") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  {
    const auto exporter =
        find_export_format("usd").make(objects, {.run = folder, .folder = folder});
    for (int i = 0; i < 30; ++i) exporter->write(export_frame(objects, i, 2000));
  }
  CHECK(fs::is_empty(folder.path()));
}

}  // namespace hydrolith::test
