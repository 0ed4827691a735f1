// USD, read back by a strict reader of its own (Debian has no USD library).

#include "exported.h"
#include "usd_reader.h"

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

TEST_CASE("bodies are meshes in USD that refer to a shape and have their pose in every frame") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "usd");
  UsdPrim root = read_usda(folder.path() / "run.usda");
  const char* names[] = {"tank", "brick_0", "brick_1"};
  for (std::size_t b = 0; b < 3; ++b) {
    UsdPrim body = root.child("run").child(names[b]);
    CHECK(body.type == "Mesh");
    CHECK(body.metadata["references"].text ==
          "/shapes/shape_" + std::to_string(objects.bodies[b].mesh));
    CHECK(body.attribute("xformOpOrder").value.text == "xformOp:translatexformOp:orient");
    CHECK(body.attributes.contains("primvars:displayOpacity") == objects.bodies[b].container);
    for (const int index : {3, 4, 5}) {
      const Pose pose = export_frame(objects, index).bodies[b].pose;
      const Quat& q = pose.orientation;
      CHECK(body.attribute("xformOp:translate").samples.at(index).numbers ==
            std::vector<double>{pose.position.x(), pose.position.y(), pose.position.z()});
      CHECK(body.attribute("xformOp:orient").samples.at(index).numbers ==
            std::vector<double>{q.w(), q.x(), q.y(), q.z()});
    }
  }
  const UsdPrim& shape = root.child("shapes").child("shape_1");
  CHECK(shape.specifier == "class");  // not drawn by itself
  CHECK(
      same_floats(shape.attribute("points").value.numbers, numbers_of(objects.meshes[1].vertices)));
  CHECK(shape.attribute("faceVertexCounts").value.numbers == std::vector<double>(4, 3));
  CHECK(shape.attribute("faceVertexIndices").value.items == 12);
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

TEST_CASE("many bodies and long runs need no more open files than usual") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  objects.liquids.clear();
  objects.bodies.assign(2000, objects.bodies[1]);
  const ExportFormat& format = find_export_format("usd");
  const auto exporter = format.make(objects, {.run = folder, .folder = folder});
  Frame frame{.index = 0, .step = 0, .time = 0, .liquids = {}, .bodies = {}};
  frame.bodies.resize(2000);
  for (; frame.index < 3; ++frame.index) exporter->write(frame);
  exporter->finish();
  const UsdPrim root = read_usda(folder.path() / "run.usda");
  CHECK(root.child("run").children.size() == 2000);
  CHECK(root.child("run").children[1999].name == "brick_0_2000");  // the same name 2000 times
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
