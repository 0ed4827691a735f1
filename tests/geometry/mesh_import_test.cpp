#include "geometry/mesh_import.h"

#include "hydrolith/error.h"

#include "about.h"
#include "geometry/mass_properties.h"
#include "test_meshes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace hydrolith;
using namespace hydrolith::test;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for every test, gone afterwards.
struct Folder {
  fs::path path;
  Folder() {
    static int count = 0;
    path = fs::temp_directory_path() / fmt::format("hydrolith_meshes_{}_{}", getpid(), count++);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const std::string& name, const std::string& content) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << content;
    return path / name;
  }
};

std::string bytes_of(const auto& value) {
  std::string text(sizeof value, '\0');
  std::memcpy(text.data(), &value, sizeof value);
  return text;
}

std::string as_obj(const TriangleMesh& mesh) {
  std::string text;
  for (const Vec3& x : mesh.vertices) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  for (const Triangle& t : mesh.triangles)
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

std::string as_ply(const TriangleMesh& mesh) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty "
      "float "
      "z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.vertices.size(), mesh.triangles.size());
  for (const Vec3& x : mesh.vertices) text += fmt::format("{} {} {}\n", x[0], x[1], x[2]);
  for (const Triangle& t : mesh.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  return text;
}

std::string as_ascii_stl(const TriangleMesh& mesh) {
  std::string text = "solid thing\n";
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (int k = 0; k < 3; ++k) {
      const Vec3 x = mesh.corner(t, k);
      text += fmt::format("vertex {} {} {}\n", x[0], x[1], x[2]);
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid thing\n";
}

std::string as_binary_stl(const TriangleMesh& mesh) {
  std::string text(80, ' ');
  text += bytes_of(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += std::string(12, '\0');
    for (int k = 0; k < 3; ++k)
      for (int axis = 0; axis < 3; ++axis)
        text += bytes_of(static_cast<float>(mesh.corner(t, k)[axis]));
    text += std::string(2, '\0');
  }
  return text;
}

std::string binary_part(const TriangleMesh& mesh) {
  std::string data;
  for (const Vec3& x : mesh.vertices)
    for (int axis = 0; axis < 3; ++axis) data += bytes_of(static_cast<float>(x[axis]));
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) data += bytes_of(v);
  return data;
}

/// glTF with two nodes that place the same mesh; `uri` names the binary part.
std::string as_gltf(const TriangleMesh& mesh, const std::string& uri, const std::string& nodes) {
  const std::size_t points = 12 * mesh.vertices.size(), indices = 12 * mesh.triangles.size();
  const Box3 box = bounds(mesh);
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{},
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"buffers":[{{"uri":"{}","byteLength":{}}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":[{},{},{}],"max":[{},{},{}]}},
{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}]}})",
      nodes, uri, points + indices, points, points, indices, mesh.vertices.size(), box.lo[0],
      box.lo[1], box.lo[2], box.hi[0], box.hi[1], box.hi[2], 3 * mesh.triangles.size());
}

struct Imported {
  TriangleMesh mesh;
  MeshReport report;
};

Imported imported(const fs::path& file, const RepairOptions& options = {}) {
  Imported r;
  r.mesh = import_mesh(file, options, r.report);
  return r;
}

double volume(const Imported& r) { return mass_properties(r.mesh).volume; }

/// The message of the Error that importing the file must give; it begins with the file's name.
std::string refusal(const fs::path& file) {
  try {
    imported(file);
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find(file.string() + ": ") == 0);
    return e.what();
  }
  return "no error at all";
}

bool says(const std::string& message, const std::string& what) {
  const bool found = message.find(what) != std::string::npos;
  if (!found) MESSAGE(message << " does not say \"" << what << "\"");
  return found;
}

constexpr double single_precision = 1e-6;

}  // namespace

TEST_CASE("a build without mesh import says which option to set" *
          doctest::skip(can_import_meshes())) {
  MeshReport report;
  CHECK_THROWS_WITH_AS(import_mesh("cube.obj", {}, report),
                       doctest::Contains("-DHYDROLITH_MESH_IMPORT=ON"), IoError);
}

TEST_SUITE_BEGIN("mesh files" * doctest::skip(!can_import_meshes()));

TEST_CASE("every kind of mesh file gives the same cube") {
  const Folder folder;
  const TriangleMesh box = box_mesh(Vec3(1, 2, 3));
  folder.write("box.bin", binary_part(box));
  for (const auto& [name, content] : std::initializer_list<std::pair<const char*, std::string>>{
           {"box.obj", as_obj(box)},
           {"BOX.OBJ", as_obj(box)},
           {"box.ply", as_ply(box)},
           {"ascii.stl", as_ascii_stl(box)},
           {"binary.stl", as_binary_stl(box)},
           {"box.gltf", as_gltf(box, "box.bin", R"([{"mesh":0}])")}}) {
    CAPTURE(name);
    const Imported r = imported(folder.write(name, content));
    CHECK(r.report.closed);
    CHECK(r.mesh.vertices.size() == 8);
    CHECK(r.mesh.triangles.size() == 12);
    CHECK(volume(r) == about(6, single_precision));
    CHECK(r.report.summary() == "nothing to repair; closed");
  }
}

TEST_CASE("binary PLY of both byte orders is read in full precision, with what else is in it") {
  const Folder folder;
  const TriangleMesh box = box_mesh(Vec3(1, 2, 0.1));
  for (const bool big : {false, true}) {
    const auto put = [&](const auto& value) {
      std::string bytes = bytes_of(value);
      if (big) std::reverse(bytes.begin(), bytes.end());
      return bytes;
    };
    std::string text = fmt::format(
        "ply\nformat binary_{}_endian 1.0\ncomment by hand\nelement vertex 8\nproperty double x\n"
        "property double y\nproperty double z\nproperty uchar red\nelement face 12\nproperty list "
        "uchar uint vertex_indices\nproperty short flags\nend_header\n",
        big ? "big" : "little");
    for (const Vec3& x : box.vertices) text += put(x[0]) + put(x[1]) + put(x[2]) + '\7';
    for (const Triangle& t : box.triangles)
      text += '\3' + put(t[0]) + put(t[1]) + put(t[2]) + put(std::int16_t{-1});
    const Imported r = imported(folder.write("box.ply", text));
    CHECK(r.mesh.vertices == box.vertices);
    CHECK(r.mesh.triangles == box.triangles);
  }
}

TEST_CASE("nodes of a glTF file place, turn, scale and mirror their meshes") {
  const Folder folder;
  folder.write("parts/box.bin", binary_part(tetrahedron_mesh()));
  const std::string nodes = R"([{"children":[1,2],"translation":[10,0,0]},
    {"mesh":0,"scale":[2,1,1]},
    {"mesh":0,"translation":[0,5,0],"rotation":[0,0,0.70710678,0.70710678],"scale":[-1,1,1]}])";
  const Imported r =
      imported(folder.write("scene.gltf", as_gltf(tetrahedron_mesh(), "parts/box.bin", nodes)));
  CHECK(r.report.closed);
  CHECK(r.report.flipped_triangles == 0);
  CHECK(volume(r) == about(2.0 / 6 + 1.0 / 6, single_precision));
  const Box3 box = bounds(r.mesh);
  // The second is mirrored to -x, then turned by 90 degrees about z to -y.
  CHECK((box.lo - Vec3(9, 0, 0)).norm() < 1e-5);
  CHECK((box.hi - Vec3(12, 5, 1)).norm() < 1e-5);
}

TEST_CASE("polygons are cut into triangles, points and lines are ignored") {
  const Folder folder;
  const Imported quads = imported(folder.write("quads.obj", R"(
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
p 1
l 1 7
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
)"));
  CHECK(quads.report.closed);
  CHECK(quads.mesh.triangles.size() == 12);
  CHECK(volume(quads) == doctest::Approx(1));

  // An L-shaped prism with hexagons that are not convex, and indices relative to the end.
  const Imported ngons = imported(folder.write("ngons.obj", R"(
v 0 0 0
v 2 0 0
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 1
v 2 0 1
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
f 6 5 4 3 2 1
f -6 -5 -4 -3 -2 -1
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
)"));
  CHECK(ngons.report.closed);
  CHECK(volume(ngons) == doctest::Approx(3));
}

TEST_CASE("defects in files are repaired and reported") {
  const Folder folder;
  const auto report_of = [&](const TriangleMesh& mesh) {
    return imported(folder.write("defect.obj", as_obj(mesh))).report.summary();
  };
  TriangleMesh hole = box_mesh();
  hole.triangles.pop_back();
  CHECK(report_of(hole) == "filled 1 hole with 1 triangle; closed");

  TriangleMesh flipped = box_mesh();
  std::swap(flipped.triangles[3][1], flipped.triangles[3][2]);
  CHECK(report_of(flipped) == "flipped 1 triangle; closed");

  TriangleMesh twice = box_mesh();
  twice.triangles.push_back(twice.triangles[0]);
  CHECK(report_of(twice) == "dropped 1 duplicate triangle; closed");

  TriangleMesh degenerate = box_mesh();
  degenerate.triangles.push_back({1, 1, 2});
  CHECK(report_of(degenerate) == "removed 1 degenerate triangle; closed");

  TriangleMesh inside_out = box_mesh();
  turn_inside_out(inside_out);
  CHECK(report_of(inside_out) == "turned the whole mesh right side out; closed");

  TriangleMesh two = box_mesh(), second = box_mesh();
  transform(second, {Vec3(4, 0, 0), Quat::Identity()});
  append(two, second);
  CHECK(report_of(two) == "nothing to repair; closed");

  TriangleMesh near = box_mesh();
  near.vertices.push_back(near.vertices[0] + Vec3(1e-7, 0, 0));
  near.triangles[0][0] = 8;
  CHECK(report_of(near) == "merged 1 vertex; closed");

  TriangleMesh sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  CHECK(report_of(sheet) == "nothing to repair; not closed: 3 open edges left");
}

TEST_CASE("files that are no mesh are refused with file, fault and advice") {
  const Folder folder;
  const std::string box = as_obj(box_mesh()), stl = as_binary_stl(box_mesh());
  CHECK(says(refusal(folder.path / "missing.obj"), "there is no such mesh file"));
  CHECK(says(refusal(folder.write("empty.stl", "")), "the mesh file is empty"));
  CHECK(says(refusal(folder.write("thing.xyzzy", box)), "\".xyzzy\" is not a kind of mesh file"));
  CHECK(says(refusal(folder.write("thing", box)), "\"no extension\" is not a kind of mesh file"));
  fs::create_directories(folder.path / "folder.obj");
  CHECK(says(refusal(folder.path / "folder.obj"), "is not a file"));
  CHECK(says(refusal(folder.write("cut.stl", stl.substr(0, 300))), "cannot be read: "));
  const std::string ply = as_ply(box_mesh());
  CHECK(says(refusal(folder.write("cut.ply", ply.substr(0, 120))), "ends before end_header"));
  CHECK(says(refusal(folder.write("short.ply", ply.substr(0, ply.size() - 9))), "ends too early"));
  std::string typo = ply;
  typo.replace(typo.find("-0.5"), 4, "-O.5");
  CHECK(says(refusal(folder.write("typo.ply", typo)), "\"-O.5\" is not a number (line 10)"));
  std::string index = ply;
  index.replace(index.rfind("5"), 1, "9");
  CHECK(says(refusal(folder.write("index.ply", index)),
             "a face with vertex 9, but there are only 8"));
  CHECK(says(refusal(folder.write("text.gltf", "hello")), "cannot be read: "));
  CHECK(says(refusal(folder.write("zeros.glb", std::string(100, '\0'))), "cannot be read: "));
  CHECK(says(refusal(folder.write("noise.ply", "ply\nformat nonsense\n")),
             "\"nonsense\" is not a format"));
  CHECK(says(refusal(folder.write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n")),
             "points.obj: "));
  CHECK(says(refusal(folder.write("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")),
             "index.obj: "));
  CHECK(says(refusal(folder.write("flat.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n")),
             "no triangle of the mesh has an area"));
  CHECK(says(refusal(folder.write("lost.gltf", as_gltf(box_mesh(), "lost.bin", R"([{"mesh":0}])"))),
             "cannot be read: "));
}

TEST_CASE("coordinates that are not numbers are refused") {
  const Folder folder;
  TriangleMesh mesh = box_mesh();
  mesh.vertices[3][1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(says(refusal(folder.write("nan.stl", as_binary_stl(mesh))), "is not a number"));
  mesh.vertices[3][1] = std::numeric_limits<double>::infinity();
  CHECK(says(refusal(folder.write("inf.stl", as_binary_stl(mesh))), "is not a number"));
  mesh.vertices[3][1] = 1e30;
  CHECK(says(refusal(folder.write("far.stl", as_binary_stl(mesh))), "coordinates are in metres"));
}

TEST_CASE("a mesh file reaches no file outside its folder") {
  const Folder folder;
  folder.write("secret.bin", binary_part(box_mesh()));
  const std::string inside = as_gltf(box_mesh(), "near.bin", R"([{"mesh":0}])");
  const std::string outside = as_gltf(box_mesh(), "../secret.bin", R"([{"mesh":0}])");
  folder.write("assets/near.bin", binary_part(box_mesh()));
  CHECK(imported(folder.write("assets/inside.gltf", inside)).report.closed);
  CHECK(says(refusal(folder.write("assets/outside.gltf", outside)), "cannot be read: "));
}

TEST_CASE("a mesh in memory is read like a mesh in a file") {
  const std::string text = as_ply(box_mesh());
  MeshReport report;
  const auto content = std::as_bytes(std::span(text));
  CHECK(is_closed(import_mesh_from_memory(content, "ply", "upload", {}, report)));
  CHECK(report.closed);
  CHECK_THROWS_WITH_AS(import_mesh_from_memory({}, "ply", "upload", {}, report),
                       doctest::Contains("upload: the mesh file is empty"), IoError);
  CHECK_THROWS_WITH_AS(import_mesh_from_memory(content, "stl", "upload", {}, report),
                       doctest::Contains("upload: "), Error);
}

TEST_CASE("without repair a defective file comes as it is, with its defects named") {
  const Folder folder;
  TriangleMesh mesh = box_mesh();
  mesh.triangles.pop_back();
  const Imported r = imported(folder.write("open.obj", as_obj(mesh)), {.repair = false});
  CHECK_FALSE(r.report.closed);
  CHECK(r.report.boundary_edges == 3);
  CHECK(says(describe_defects(r.mesh), "3 open edges in 1 hole, the largest near (0.5, "));
}

TEST_SUITE_END();
