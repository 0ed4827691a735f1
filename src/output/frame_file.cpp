#include "output/frame_file.h"

#include "hydrolith/error.h"

#include "output/format_mark.h"
#include "output/table_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hydrolith {

namespace {

constexpr std::string_view format_of_frames = "hydrolith frame";

void write_liquid(const h5::Group& group, const LiquidFrame& liquid) {
  group.write<std::uint32_t>("id", liquid.id, 1, {"", "particle number, the same in all frames"});
  group.write("position", numbers(liquid.position), 3, {"m", "centre of each particle"});
  const h5::Group fields = group.create_group("fields");
  for (const Field& field : liquid.fields)
    fields.write<float>(field.name, field.values, field.components,
                        {field.unit, "value at each particle"});
}

void check_liquid(const LiquidFrame& liquid, const auto& fail) {
  const std::size_t particles = liquid.position.size();
  if (liquid.id.size() != particles)
    fail(fmt::format("{} ids for {} particles", liquid.id.size(), particles));
  for (const Field& field : liquid.fields) {
    if (field.name.empty() || field.name.size() > 200 || field.name == "." ||
        field.name.find('/') != std::string::npos)
      fail(fmt::format("\"{}\" cannot be the name of a field", field.name));
    if (std::count_if(liquid.fields.begin(), liquid.fields.end(),
                      [&](const Field& other) { return other.name == field.name; }) > 1)
      fail(fmt::format("two fields are called {}", field.name));
    if (field.components != 1 && field.components != 3)
      fail(fmt::format("field {} has {} components; 1 or 3 are possible", field.name,
                       field.components));
    if (field.values.size() != particles * static_cast<std::size_t>(field.components))
      fail(fmt::format("field {} has {} values for {} particles", field.name, field.values.size(),
                       particles));
  }
}

LiquidFrame read_liquid(const h5::Group& group) {
  LiquidFrame liquid;
  liquid.id = group.read<std::uint32_t>("id", 1);
  liquid.position = items<Vec3f>(group.read<float>("position", 3));
  const h5::Group fields = group.group("fields");
  for (const std::string& name : fields.children()) {
    Field& field = liquid.fields.emplace_back();
    field.name = name;
    field.unit = fields.text_attribute("unit", name);
    field.components = fields.columns(name);
    field.values = fields.read<float>(name, field.components);
  }
  check_liquid(liquid, [&](const std::string& what) { group.fail(what); });
  return liquid;
}

using Quaternion = std::array<double, 4>;  // w, x, y, z

/// The tables of forces: name, meaning, where they are in a body's forces.
struct ForceTable {
  const char *name, *unit, *meaning;
  Wrench BodyForces::*origin;
  Vec3 Wrench::*part;
};
constexpr ForceTable force_tables[] = {
    {"pressure_force", "N", "of the liquid's pressure", &BodyForces::pressure, &Wrench::force},
    {"pressure_torque", "N m", "likewise", &BodyForces::pressure, &Wrench::torque},
    {"viscosity_force", "N", "of the liquid's viscosity", &BodyForces::viscosity, &Wrench::force},
    {"viscosity_torque", "N m", "likewise", &BodyForces::viscosity, &Wrench::torque},
    {"contact_force", "N", "of other bodies, along normals", &BodyForces::contact, &Wrench::force},
    {"contact_torque", "N m", "likewise", &BodyForces::contact, &Wrench::torque},
    {"friction_force", "N", "of other bodies, friction", &BodyForces::friction, &Wrench::force},
    {"friction_torque", "N m", "likewise", &BodyForces::friction, &Wrench::torque},
};

void write_bodies(const h5::Group& group, const std::vector<BodyFrame>& bodies) {
  const auto write = [&](const char* name, const h5::Note& note, auto get) {
    group.write(name, numbers(column<Vec3>(bodies, get)), 3, note);
  };
  write("position", {"m", "centre of mass"}, [](const BodyFrame& b) { return b.pose.position; });
  const auto orientation = column<Quaternion>(bodies, [](const BodyFrame& b) {
    const Quat& q = b.pose.orientation;
    return Quaternion{q.w(), q.x(), q.y(), q.z()};
  });
  group.write("orientation", numbers(orientation), 4,
              {"", "unit quaternion w, x, y, z: turns the body frame into the world"});
  write("velocity", {"m/s", "of the centre of mass"},
        [](const BodyFrame& b) { return b.velocity; });
  write("angular_velocity", {"rad/s", "in the world frame"},
        [](const BodyFrame& b) { return b.angular_velocity; });
  for (const BodyFrame& b : bodies)
    if (!b.forces) return;
  for (const ForceTable& t : force_tables)
    write(t.name, {t.unit, t.meaning},
          [&](const BodyFrame& b) { return (*b.forces).*(t.origin).*(t.part); });
}

void read_forces(const h5::Group& group, std::vector<BodyFrame>& bodies) {
  if (!group.has(force_tables[0].name)) return;
  for (BodyFrame& body : bodies) body.forces.emplace();
  for (const ForceTable& t : force_tables) {
    const auto values = items<Vec3>(group.read<double>(t.name, 3));
    if (values.size() != bodies.size())
      group.fail(fmt::format("{} has {} rows for {} bodies", t.name, values.size(), bodies.size()));
    for (std::size_t i = 0; i < bodies.size(); ++i)
      (*bodies[i].forces).*(t.origin).*(t.part) = values[i];
  }
}

std::vector<BodyFrame> read_bodies(const h5::Group& group, std::size_t expected) {
  const auto position = items<Vec3>(group.read<double>("position", 3));
  const auto orientation = items<Quaternion>(group.read<double>("orientation", 4));
  const auto velocity = items<Vec3>(group.read<double>("velocity", 3));
  const auto angular_velocity = items<Vec3>(group.read<double>("angular_velocity", 3));
  for (const std::size_t found :
       {position.size(), orientation.size(), velocity.size(), angular_velocity.size()})
    if (found != expected)
      group.fail(fmt::format("{} bodies where objects.h5 has {}", found, expected));
  std::vector<BodyFrame> bodies(expected);
  for (std::size_t i = 0; i < expected; ++i) {
    const Quaternion& q = orientation[i];
    bodies[i] = {.pose = {position[i], Quat(q[0], q[1], q[2], q[3])},
                 .velocity = velocity[i],
                 .angular_velocity = angular_velocity[i],
                 .forces = {}};
  }
  read_forces(group, bodies);
  return bodies;
}

Frame read_start(const h5::Group& root) {
  check_format(root, format_of_frames);
  Frame frame;
  frame.index = root.read_scalar<std::int64_t>("index");
  frame.step = root.read_scalar<std::int64_t>("step");
  frame.time = root.read_scalar<double>("time");
  return frame;
}

}  // namespace

void check_frame(const Frame& frame, const Objects& objects) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("frame {}: {}", frame.index, what));
  };
  if (frame.index < 0) fail("frames count from 0");
  if (frame.liquids.size() != objects.liquids.size())
    fail(fmt::format("{} liquids, expected {}", frame.liquids.size(), objects.liquids.size()));
  if (frame.bodies.size() != objects.bodies.size())
    fail(fmt::format("{} bodies, expected {}", frame.bodies.size(), objects.bodies.size()));
  for (const LiquidFrame& liquid : frame.liquids) check_liquid(liquid, fail);
}

std::string encode_frame(const Frame& frame, const Objects& objects, const std::string& name,
                         int compression) {
  check_frame(frame, objects);
  h5::File file(name, compression);
  const h5::Group& root = file.root();
  write_format(root, format_of_frames);
  root.write_scalar("index", frame.index, {"", "number of the frame, from 0"});
  root.write_scalar("step", frame.step, {"", "steps taken so far"});
  root.write_scalar("time", frame.time, {"s", "simulated time"});
  const h5::Group liquids = root.create_group("liquids");
  for (std::size_t i = 0; i < frame.liquids.size(); ++i) {
    const h5::Group liquid = liquids.create_group(std::to_string(i));
    liquid.write_attribute("name", objects.liquids[i].name);
    write_liquid(liquid, frame.liquids[i]);
  }
  write_bodies(root.create_group("bodies"), frame.bodies);
  return file.finish();
}

Frame decode_frame(std::string_view bytes, const Objects& objects, const std::string& name) {
  const h5::File file(name, bytes);
  const h5::Group& root = file.root();
  Frame frame = read_start(root);
  const h5::Group liquids = root.group("liquids");
  const std::size_t found = liquids.children().size();
  if (found != objects.liquids.size())
    root.fail(fmt::format("{} liquids where objects.h5 has {}", found, objects.liquids.size()));
  for (std::size_t i = 0; i < found; ++i)
    frame.liquids.push_back(read_liquid(liquids.group(std::to_string(i))));
  frame.bodies = read_bodies(root.group("bodies"), objects.bodies.size());
  return frame;
}

Frame read_motion(const std::filesystem::path& file, const Objects& objects) {
  const h5::File opened = h5::File::on_disk(file);
  const h5::Group& root = opened.root();
  Frame frame = read_start(root);
  frame.bodies = read_bodies(root.group("bodies"), objects.bodies.size());
  return frame;
}

std::vector<std::size_t> count_particles(const std::filesystem::path& file) {
  const h5::File opened = h5::File::on_disk(file);
  check_format(opened.root(), format_of_frames);
  const h5::Group liquids = opened.root().group("liquids");
  std::vector<std::size_t> counts;
  for (const std::string& name : liquids.children())
    counts.push_back(liquids.group(name).rows("id"));
  return counts;
}

}  // namespace hydrolith
