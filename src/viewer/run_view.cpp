#include "viewer/run_view.h"

#include "core/check.h"
#include "output/files.h"
#include "output/run_lock.h"
#include "output/run_names.h"
#include "viewer/body_columns.h"
#include "viewer/json_text.h"
#include "viewer/packed_frame.h"
#include "viewer/packet.h"
#include "viewer/surface_packet.h"

#include <chrono>
#include <limits>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_kept = (std::size_t(64) << 20) / sizeof(BodyFrame);

/// [s] since a file was written; NaN if there is none.
double age(const fs::path& file) {
  std::error_code none;
  const fs::file_time_type written = fs::last_write_time(file, none);
  if (none) return nan;
  return std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count();
}

/// The text of a file, or nothing if it cannot be read (yet).
std::string text_of(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const IoError&) {
    return "";
  }
}

std::string liquids_json(const Objects& o) {
  return json_list(o.liquids.size(), [&](std::size_t i) {
    const LiquidInfo& l = o.liquids[i];
    return fmt::format(R"({{"name":{},"density":{},"colour":{}}})", json_text(l.name),
                       json_number(l.density), json_vector(l.colour));
  });
}

std::string bodies_json(const Objects& o) {
  return json_list(o.bodies.size(), [&](std::size_t i) {
    const BodyInfo& b = o.bodies[i];
    return fmt::format(
        R"({{"name":{},"object":{},"mesh":{},"kind":"{}","container":{},"mass":{},"colour":{},"own_colour":{}}})",
        json_text(b.name), b.object, b.mesh, name_of(b.kind), b.container, json_number(b.mass),
        json_vector(b.colour), b.colour != BodyInfo{}.colour);
  });
}

/// run.json, its scene by name alone; a run that says it is running but that nobody writes was
/// killed.
std::string record_text(const fs::path& run) {
  std::string text = text_of(run / "run.json");
  const std::string_view scene = R"("scene_file": ")";
  if (const std::size_t found = text.find(scene); found != std::string::npos) {
    const std::size_t from = found + scene.size(), to = text.find('"', from);
    const std::size_t slash = text.rfind('/', to);
    if (to != std::string::npos && slash != std::string::npos && slash >= from)
      text.erase(from, slash + 1 - from);
  }
  const std::string_view running = R"("state": "running")";
  const std::size_t at = text.find(running);
  if (at != std::string::npos && !is_being_written(run))
    text.replace(at, running.size(), R"("state": "killed")");
  return text;
}

}  // namespace

RunView::RunView(const fs::path& folder) : reader_(folder), metrics_(folder / "metrics.csv") {}

std::string RunView::without_folder(std::string message) const {
  const std::string folder = (reader_.folder() / "").string();  // with the slash
  for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

std::string RunView::frame_stamp(std::int64_t index) const {
  std::error_code none;
  const fs::path file = frame_file(reader_.folder(), index);
  const auto size = fs::file_size(file, none);
  if (none) throw NotFound(fmt::format("there is no frame {}", index));
  const auto written = fs::last_write_time(file, none).time_since_epoch().count();
  return fmt::format("{} {}", size, written);
}

std::vector<FrameEntry> RunView::frames() const {
  const std::lock_guard lock(mutex_);
  std::vector<FrameEntry> list;
  for (const std::int64_t index : reader_.frames()) {
    try {
      const std::string stamp = frame_stamp(index);
      Seen& seen = seen_[index];
      if (seen.stamp != stamp) {
        kept_ -= seen.bodies.size();
        seen = {stamp, nan, {}};
        Frame motion = reader_.read_motion(index);
        seen.time = motion.time;
        if (kept_ + motion.bodies.size() <= most_kept) seen.bodies = std::move(motion.bodies);
        kept_ += seen.bodies.size();
      }
      list.push_back({index, seen.time});
    } catch (const NotFound&) {  // gone since it was listed
    } catch (const IoError&) {   // damaged: listed without a time, and not tried again
      list.push_back({index, nan});
    }
  }
  return list;
}

BodyFrame RunView::motion(std::int64_t index, std::size_t body) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.find(index);
    if (found != seen_.end() && !found->second.bodies.empty()) return found->second.bodies[body];
  }
  return reader_.read_motion(index).bodies[body];
}

std::string RunView::run() const {
  const Objects& o = reader_.objects();
  const std::string camera =
      o.has_camera
          ? fmt::format(R"({{"from":{},"to":{},"field_of_view":{}}})", json_vector(o.camera.from),
                        json_vector(o.camera.to), json_number(o.camera.field_of_view))
          : "null";
  const std::string objects =
      json_list(o.body_objects.size(), [&](std::size_t i) { return json_text(o.body_objects[i]); });
  return fmt::format(
      R"({{"title":{},"dimensions":{},"spacing":{},"up":{},"camera":{},"liquids":{},"objects":{},"bodies":{}}})",
      json_text(o.title), o.dimensions, json_number(o.spacing), json_vector(o.up), camera,
      liquids_json(o), objects, bodies_json(o));
}

std::string RunView::status(std::size_t known) const {
  const std::vector<FrameEntry> all = frames();
  const std::size_t from = known <= all.size() ? known : 0;
  const std::string list = json_list(all.size() - from, [&](std::size_t i) {
    return fmt::format("[{},{}]", all[from + i].index, json_number(all[from + i].time));
  });
  const std::lock_guard lock(mutex_);
  std::string trouble;
  try {
    metrics_.update();
  } catch (const IoError& e) {
    trouble = without_folder(e.what());
  }
  const auto& rows = metrics_.table().rows;
  const int time = metrics_.table().column("time");
  return fmt::format(
      R"({{"record":{},"from":{},"count":{},"frames":{},"rows":{},"generation":{},"time":{},"quiet":{},"running_for":{},"trouble":{}}})",
      json_text(without_folder(record_text(reader_.folder()))), from, all.size(), list, rows.size(),
      metrics_.generation(), json_number(rows.empty() || time < 0 ? nan : rows.back()[time]),
      json_number(age(reader_.folder() / "metrics.csv")),
      json_number(age(reader_.folder() / "run.json")), json_text(trouble));
}

std::string RunView::meshes() const {
  std::vector<float> vertices;
  std::vector<std::uint32_t> triangles, first_vertex = {0}, first_triangle = {0};
  for (const SurfaceMesh& mesh : reader_.objects().meshes) {
    for (const Vec3f& v : mesh.vertices) vertices.insert(vertices.end(), v.begin(), v.end());
    for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    first_vertex.push_back(static_cast<std::uint32_t>(vertices.size() / 3));
    first_triangle.push_back(static_cast<std::uint32_t>(triangles.size() / 3));
  }
  Packet packet;
  packet.add<float>("vertices", vertices);
  packet.add<std::uint32_t>("triangles", triangles);
  packet.add<std::uint32_t>("first_vertex", first_vertex);
  packet.add<std::uint32_t>("first_triangle", first_triangle);
  return packet.finish("");
}

std::string RunView::frame(std::int64_t index, const std::string& field) const {
  frame_stamp(index);  // NotFound
  return packed_frame(reader_.read(index), field);
}

std::string RunView::surface(std::int64_t index, const std::string& field) const {
  frame_stamp(index);  // NotFound
  return surface_packet(reader_.read(index), reader_.objects(), field);
}

std::string RunView::metrics(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  metrics_.update();
  const MetricsTable& table = metrics_.table();
  if (from > table.rows.size()) from = 0;
  const std::size_t rows = table.rows.size() - from;
  std::vector<double> values;
  values.reserve(rows * table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t r = from; r < table.rows.size(); ++r) values.push_back(table.rows[r][c]);
  Packet packet;
  packet.add<double>("values", values);
  return packet.finish(fmt::format(
      R"("from":{},"rows":{},"generation":{},"columns":{})", from, rows, metrics_.generation(),
      json_list(table.columns.size(), [&](std::size_t i) { return json_text(table.columns[i]); })));
}

std::string RunView::body(std::size_t body, std::size_t from) const {
  const std::size_t bodies = reader_.objects().bodies.size();
  if (body >= bodies)
    throw NotFound(fmt::format("there is no body {}; the run has {}", body, bodies));
  const std::vector<FrameEntry> all = frames();
  if (from > all.size()) from = 0;
  const std::vector<BodyColumn>& columns = body_columns();
  std::vector<double> values;
  for (std::size_t f = from; f < all.size(); ++f) {
    if (std::isnan(all[f].time)) {
      values.insert(values.end(), columns.size(), nan);
      continue;
    }
    const BodyFrame state = motion(all[f].index, body);
    for (const BodyColumn& column : columns) values.push_back(column.value(state));
  }
  Packet packet;
  packet.add<double>("values", values);
  return packet.finish(fmt::format(R"("body":{},"from":{},"columns":{})", body, from,
                                   json_list(columns.size(), [&](std::size_t i) {
                                     return fmt::format("[{},{}]", json_text(columns[i].name),
                                                        json_text(columns[i].unit));
                                   })));
}

}  // namespace hydrolith
