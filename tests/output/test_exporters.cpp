// VTK and PLY, read back by small parsers that know the formats and not our writers.

#include "about.h"
#include "fixtures.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "vtk_reader.h"

#include <cstring>
#include <sstream>

namespace hydrolith::test {

namespace {

/// Three frames of the sample scene in RUN, in VTK and PLY.
Objects export_run(const fs::path& run, std::size_t particles) {
  const Objects objects = sample_objects();
  FrameWriter writer(run, objects, {.hdf5 = false, .vtk = true, .ply = true});
  for (int i = 0; i < 3; ++i) writer.write(sample_frame(objects, i, particles));
  writer.finish();
  return objects;
}

template <class T>
std::vector<double> as_doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> as_doubles(const std::vector<Vec3f>& vectors) {
  std::vector<double> out;
  for (const Vec3f& v : vectors) out.insert(out.end(), {v.x(), v.y(), v.z()});
  return out;
}

}  // namespace

TEST_CASE("a liquid in VTK has its points, one vertex cell for each, ids and all fields") {
  const TemporaryFolder run;
  for (const std::size_t particles : {0, 1, 50'000}) {  // none, one, several blocks of bytes
    CAPTURE(particles);
    const Objects objects = export_run(run, particles);
    const LiquidFrame liquid = sample_frame(objects, 2, particles).liquids[0];
    VtpFile file = read_vtp(run.path() / "vtk" / "water" / "water_000002.vtp");
    CHECK(file.points == particles);
    CHECK(file.vertices == particles);
    CHECK(file.triangles == 0);
    CHECK(file.time == 2.0 / 30);
    CHECK(file.sections["Points"]["Points"].values == as_doubles(liquid.position));
    CHECK(file.sections["PointData"]["id"].values == as_doubles(liquid.id));
    CHECK(file.sections["PointData"]["velocity"].components == 3);
    CHECK(file.sections["PointData"]["velocity"].values == as_doubles(liquid.fields[0].values));
    CHECK(file.sections["PointData"]["pressure"].values == as_doubles(liquid.fields[1].values));
    const std::vector<double> connectivity = file.sections["Verts"]["connectivity"].values;
    const std::vector<double> offsets = file.sections["Verts"]["offsets"].values;
    REQUIRE(connectivity.size() == particles);
    REQUIRE(offsets.size() == particles);
    bool right = true;
    for (std::size_t i = 0; i < particles; ++i)
      right = right && connectivity[i] == double(i) && offsets[i] == double(i + 1);
    CHECK(right);
  }
}

TEST_CASE("the bodies of one scene entry are one mesh in VTK, placed in the world") {
  const TemporaryFolder run;
  const Objects objects = export_run(run, 5);
  const Frame frame = sample_frame(objects, 1, 5);
  VtpFile file = read_vtp(run.path() / "vtk" / "brick" / "brick_000001.vtp");
  CHECK(file.points == 10);
  CHECK(file.triangles == 8);
  CHECK(file.vertices == 0);
  CHECK(file.sections["CellData"]["body"].values == std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2});
  const std::vector<double> corners = file.sections["Polys"]["connectivity"].values;
  CHECK(std::vector<double>(corners.begin() + 12, corners.begin() + 15) ==
        std::vector<double>{5, 7, 6});
  CHECK(file.sections["Polys"]["offsets"].values[7] == 24);
  // Vertex 1 of the second brick: x = q x_body + c, v = v_c + omega x (x - c).
  const BodyFrame& brick = frame.bodies[2];
  const Vec3 x = brick.pose * objects.meshes[1].vertices[1].cast<double>();
  const Vec3 v = brick.velocity + brick.angular_velocity.cross(x - brick.pose.position);
  for (int k = 0; k < 3; ++k) {
    // Single precision of numbers of size one.
    CHECK(file.sections["Points"]["Points"].values[3 * 6 + k] == about(x[k], 1e-6));
    CHECK(file.sections["PointData"]["velocity"].values[3 * 6 + k] == about(v[k], 1e-6));
  }
}

TEST_CASE("collections give real times and lead to files that are there") {
  const TemporaryFolder run;
  export_run(run, 5);
  const fs::path vtk = run.path() / "vtk";
  const auto water = read_pvd(vtk / "water.pvd");
  REQUIRE(water.size() == 3);
  CHECK(water[1].first == 1.0 / 30);
  CHECK(water[1].second == "water/water_000001.vtp");
  CHECK(read_pvd(vtk / "huile_d_olive_été.pvd").size() == 3);
  const auto all = read_pvd(vtk / "run.pvd");
  CHECK(all.size() == 3 * 4);  // frames x (two liquids + two body entries)
  for (const auto& [time, file] : all) CHECK(read_vtp(vtk / file).time == time);
}

TEST_CASE("a run that goes on keeps earlier times and drops later ones") {
  const TemporaryFolder run;
  const Objects objects = export_run(run, 5);
  {
    FrameWriter writer(run, objects, {.hdf5 = false, .vtk = true, .ply = false});
    writer.write(sample_frame(objects, 1, 5));
  }
  CHECK(read_pvd(run.path() / "vtk" / "tank.pvd").size() == 2);
  CHECK(read_pvd(run.path() / "vtk" / "run.pvd").size() == 2 * 4);
}

// ---- PLY ---------------------------------------------------------------------------------------

namespace {

struct Ply {
  std::vector<std::string> header;  // lines
  std::string body;                 // bytes
};

Ply read_ply(const fs::path& file) {
  const std::string text = read_file(file);
  const std::size_t end = text.find("end_header\n");
  REQUIRE(end != std::string::npos);
  std::istringstream lines(text.substr(0, end));
  Ply ply{.header = {}, .body = text.substr(end + 11)};
  for (std::string line; std::getline(lines, line);) ply.header.push_back(line);
  return ply;
}

template <class T>
T value_at(const std::string& bytes, std::size_t at) {
  T value;
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("a liquid in PLY has a row of position, velocity, scalars and id for each particle") {
  const TemporaryFolder run;
  const Objects objects = export_run(run, 7);
  const LiquidFrame liquid = sample_frame(objects, 2, 7).liquids[0];
  const Ply ply = read_ply(run.path() / "ply" / "water" / "water_000002.ply");
  CHECK(ply.header[0] == "ply");
  CHECK(ply.header[1] == "format binary_little_endian 1.0");
  const std::vector<std::string> columns(ply.header.begin() + 4, ply.header.end());
  CHECK(columns == std::vector<std::string>{
                       "element vertex 7", "property float x", "property float y",
                       "property float z", "property float vx", "property float vy",
                       "property float vz", "property float pressure", "property uint id"});
  constexpr std::size_t row = 8 * 4;
  REQUIRE(ply.body.size() == 7 * row);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(value_at<float>(ply.body, i * row + 4) == liquid.position[i].y());
    CHECK(value_at<float>(ply.body, i * row + 20) == liquid.fields[0].values[3 * i + 2]);
    CHECK(value_at<float>(ply.body, i * row + 24) == liquid.fields[1].values[i]);
    CHECK(value_at<std::uint32_t>(ply.body, i * row + 28) == liquid.id[i]);
  }
}

TEST_CASE("all bodies are one mesh in PLY") {
  const TemporaryFolder run;
  const Objects objects = export_run(run, 0);
  const Ply ply = read_ply(run.path() / "ply" / "bodies" / "bodies_000000.ply");
  constexpr std::size_t vertices = 14, faces = 12, vertex_bytes = 24, face_bytes = 1 + 12 + 4;
  REQUIRE(ply.body.size() == vertices * vertex_bytes + faces * face_bytes);
  const std::size_t last = vertices * vertex_bytes + 11 * face_bytes;
  CHECK(ply.body[last] == 3);
  CHECK(value_at<std::int32_t>(ply.body, last + 1) == 9 + 1);
  CHECK(value_at<std::int32_t>(ply.body, last + 9) == 9 + 3);
  CHECK(value_at<std::uint32_t>(ply.body, last + 13) == 2);
  CHECK(read_ply(run.path() / "ply" / "water" / "water_000000.ply").body.empty());
}

}  // namespace hydrolith::test
