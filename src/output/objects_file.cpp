#include "core/check.h"
#include "output/format_mark.h"
#include "output/frame_file.h"
#include "output/table_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hydrolith {

namespace {

constexpr std::string_view format_of_objects = "hydrolith objects";

void write_vector(const h5::Group& group, const char* name, const Vec3& v, const h5::Note& note) {
  group.write<double>(name, std::span<const double>(v.data(), 3), 1, note);
}

Vec3 read_vector(const h5::Group& group, const char* name) {
  const std::vector<double> v = group.read<double>(name, 1);
  if (v.size() != 3) group.fail(fmt::format("{} is not a vector of three numbers", name));
  return {v[0], v[1], v[2]};
}

// ---- liquids -----------------------------------------------------------------------------------

void write_liquids(const h5::Group& group, const std::vector<LiquidInfo>& liquids) {
  const auto names = column<std::string>(liquids, [](auto& l) { return l.name; });
  const auto densities = column<double>(liquids, [](auto& l) { return l.density; });
  const auto colours = column<Vec3f>(liquids, [](auto& l) { return l.colour; });
  group.write_text("name", names, {"", "name of each liquid"});
  group.write<double>("density", densities, 1, {"kg/m^3", "density at rest"});
  group.write("colour", numbers(colours), 3, {"", "linear red, green, blue, 0 to 1"});
}

std::vector<LiquidInfo> read_liquids(const h5::Group& group) {
  const auto names = group.read_text("name");
  const auto densities = group.read<double>("density", 1);
  const auto colours = items<Vec3f>(group.read<float>("colour", 3));
  if (densities.size() != names.size() || colours.size() != names.size())
    group.fail("the columns of liquids differ in length");
  std::vector<LiquidInfo> liquids(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    liquids[i] = {.name = names[i], .density = densities[i], .colour = colours[i]};
  return liquids;
}

// ---- bodies ------------------------------------------------------------------------------------

void write_bodies(const h5::Group& group, const std::vector<BodyInfo>& bodies) {
  const auto write = [&]<class T>(T, const char* name, const h5::Note& note, auto get) {
    group.write<T>(name, column<T>(bodies, get), 1, note);
  };
  const auto names = column<std::string>(bodies, [](auto& b) { return b.name; });
  const auto colours = column<Vec3f>(bodies, [](auto& b) { return b.colour; });
  group.write_text("name", names, {"", "unique name of each body"});
  write(std::uint32_t{}, "object", {"", "index into body_objects"},
        [](const BodyInfo& b) { return b.object; });
  write(std::uint32_t{}, "mesh", {"", "index of its mesh"},
        [](const BodyInfo& b) { return b.mesh; });
  write(std::uint8_t{}, "kind", {"", "0 dynamic, 1 static, 2 kinematic"},
        [](const BodyInfo& b) { return static_cast<std::uint8_t>(b.kind); });
  write(std::uint8_t{}, "container", {"", "1: turned inside out, solid outside its mesh"},
        [](const BodyInfo& b) { return static_cast<std::uint8_t>(b.container); });
  write(double{}, "mass", {"kg", "0 for static and kinematic bodies"},
        [](const BodyInfo& b) { return b.mass; });
  group.write("colour", numbers(colours), 3, {"", "linear red, green, blue, 0 to 1"});
}

/// One column with as many values as there are bodies, each below `limit`.
template <class T>
std::vector<T> read_index(const h5::Group& group, const char* name, std::size_t count,
                          std::size_t limit) {
  const std::vector<T> values = group.read<T>(name, 1);
  if (values.size() != count) group.fail("the columns of bodies differ in length");
  for (const T value : values)
    if (value >= limit) group.fail(fmt::format("{} {} does not exist", name, value));
  return values;
}

std::vector<BodyInfo> read_bodies(const h5::Group& group, std::size_t objects, std::size_t meshes) {
  const auto names = group.read_text("name");
  const std::size_t n = names.size();
  const auto object = read_index<std::uint32_t>(group, "object", n, objects);
  const auto mesh = read_index<std::uint32_t>(group, "mesh", n, meshes);
  const auto kind = read_index<std::uint8_t>(group, "kind", n, 3);
  const auto container = read_index<std::uint8_t>(group, "container", n, 2);
  const auto mass = group.read<double>("mass", 1);
  const auto colour = items<Vec3f>(group.read<float>("colour", 3));
  if (mass.size() != n || colour.size() != n) group.fail("the columns of bodies differ in length");
  std::vector<BodyInfo> bodies(n);
  for (std::size_t i = 0; i < n; ++i)
    bodies[i] = {.name = names[i],
                 .object = object[i],
                 .mesh = mesh[i],
                 .kind = static_cast<BodyKind>(kind[i]),
                 .container = container[i] != 0,
                 .mass = mass[i],
                 .colour = colour[i]};
  return bodies;
}

// ---- meshes: one after the other, with the place where each begins ------------------------------

using Triangle = std::array<std::uint32_t, 3>;

void write_meshes(const h5::Group& group, const std::vector<SurfaceMesh>& meshes) {
  std::vector<Vec3f> vertices;
  std::vector<Triangle> triangles;
  std::vector<std::uint64_t> first_vertex{0}, first_triangle{0};
  for (const SurfaceMesh& mesh : meshes) {
    vertices.insert(vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    triangles.insert(triangles.end(), mesh.triangles.begin(), mesh.triangles.end());
    first_vertex.push_back(vertices.size());
    first_triangle.push_back(triangles.size());
  }
  group.write<std::uint64_t>("first_vertex", first_vertex, 1,
                             {"", "mesh i has vertices first_vertex[i] to first_vertex[i+1] - 1"});
  group.write<std::uint64_t>(
      "first_triangle", first_triangle, 1,
      {"", "mesh i has triangles first_triangle[i] to first_triangle[i+1] - 1"});
  group.write("vertices", numbers(vertices), 3,
              {"m", "in the body frame, origin = centre of mass"});
  group.write("triangles", numbers(triangles), 3,
              {"", "vertices of the same mesh, from 0; counter-clockwise seen from outside"});
}

/// The n + 1 places where n meshes begin and the last ends.
std::vector<std::uint64_t> read_offsets(const h5::Group& group, const char* name,
                                        std::size_t total) {
  const auto offsets = group.read<std::uint64_t>(name, 1);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != total ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    group.fail(fmt::format("{} does not rise from 0 to {}", name, total));
  return offsets;
}

std::vector<SurfaceMesh> read_meshes(const h5::Group& group) {
  const auto vertices = items<Vec3f>(group.read<float>("vertices", 3));
  const auto triangles = items<Triangle>(group.read<std::uint32_t>("triangles", 3));
  const auto first_vertex = read_offsets(group, "first_vertex", vertices.size());
  const auto first_triangle = read_offsets(group, "first_triangle", triangles.size());
  if (first_vertex.size() != first_triangle.size())
    group.fail("first_vertex and first_triangle differ in length");
  std::vector<SurfaceMesh> meshes(first_vertex.size() - 1);
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    meshes[m].vertices.assign(vertices.begin() + first_vertex[m],
                              vertices.begin() + first_vertex[m + 1]);
    meshes[m].triangles.assign(triangles.begin() + first_triangle[m],
                               triangles.begin() + first_triangle[m + 1]);
    for (const Triangle& triangle : meshes[m].triangles)
      for (const std::uint32_t corner : triangle)
        if (corner >= meshes[m].vertices.size())
          group.fail(fmt::format("a triangle of mesh {} names vertex {} of {}", m, corner,
                                 meshes[m].vertices.size()));
  }
  return meshes;
}

}  // namespace

void check_objects(const Objects& objects) {
  for (const SurfaceMesh& mesh : objects.meshes)
    for (const Triangle& t : mesh.triangles)
      require(std::max({t[0], t[1], t[2]}) < mesh.vertices.size(),
              "a triangle names vertex {} of {}", std::max({t[0], t[1], t[2]}),
              mesh.vertices.size());
  for (const BodyInfo& body : objects.bodies)
    require(body.mesh < objects.meshes.size() && body.object < objects.body_objects.size(),
            "body {}: its mesh {} or object {} does not exist", body.name, body.mesh, body.object);
}

std::string encode_objects(const Objects& objects, const std::string& name, int compression) {
  check_objects(objects);
  h5::File file(name, compression);
  const h5::Group& root = file.root();
  write_format(root, format_of_objects);
  root.write_attribute("title", objects.title);
  root.write_scalar<std::int64_t>("dimensions", objects.dimensions, {"", "2 or 3"});
  root.write_scalar("spacing", objects.spacing, {"m", "distance of particles at rest"});
  write_vector(root, "up", objects.up, {"", "unit vector against gravity"});
  root.write_text("body_objects", objects.body_objects, {"", "names of the scene's body entries"});
  write_liquids(root.create_group("liquids"), objects.liquids);
  write_bodies(root.create_group("bodies"), objects.bodies);
  write_meshes(root.create_group("meshes"), objects.meshes);
  if (objects.has_camera) {
    const h5::Group camera = root.create_group("camera");
    write_vector(camera, "from", objects.camera.from, {"m", "where the camera stands"});
    write_vector(camera, "to", objects.camera.to, {"m", "what it looks at"});
    camera.write_scalar("field_of_view", objects.camera.field_of_view, {"deg", "vertical"});
  }
  return file.finish();
}

Objects decode_objects(std::string_view bytes, const std::string& name) {
  const h5::File file(name, bytes);
  const h5::Group& root = file.root();
  check_format(root, format_of_objects);
  Objects objects;
  objects.title = root.text_attribute("title");
  const auto dimensions = root.read_scalar<std::int64_t>("dimensions");
  if (dimensions != 2 && dimensions != 3) root.fail("dimensions are neither 2 nor 3");
  objects.dimensions = static_cast<int>(dimensions);
  objects.spacing = root.read_scalar<double>("spacing");
  objects.up = read_vector(root, "up");
  objects.body_objects = root.read_text("body_objects");
  objects.liquids = read_liquids(root.group("liquids"));
  objects.meshes = read_meshes(root.group("meshes"));
  objects.bodies =
      read_bodies(root.group("bodies"), objects.body_objects.size(), objects.meshes.size());
  objects.has_camera = root.has("camera");
  if (objects.has_camera) {
    const h5::Group camera = root.group("camera");
    objects.camera = {.from = read_vector(camera, "from"),
                      .to = read_vector(camera, "to"),
                      .field_of_view = camera.read_scalar<double>("field_of_view")};
  }
  return objects;
}

}  // namespace hydrolith
