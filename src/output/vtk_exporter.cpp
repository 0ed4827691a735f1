// For ParaView: a .vtp for every object and frame, .pvd files that give them real times.

#include "output/exporter.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"
#include "output/table_views.h"
#include "output/vtk_file.h"
#include "output/world_mesh.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

using Times = std::map<std::int64_t, double>;  // index of a frame -> [s]

std::string liquid_vtp(const Frame& frame, const LiquidFrame& liquid, int compression) {
  VtkPolyData file(frame.time, compression);
  file.points(numbers(liquid.position));
  file.point_data("id", liquid.id);
  for (const Field& field : liquid.fields)
    file.point_data(field.name, field.values, field.components);
  file.vertices();
  return file.finish();
}

std::string mesh_vtp(const Frame& frame, const WorldMesh& mesh, int compression) {
  VtkPolyData file(frame.time, compression);
  file.points(numbers(mesh.vertices));
  if (!mesh.velocities.empty()) file.point_data("velocity", numbers(mesh.velocities), 3);
  if (!mesh.normals.empty()) file.point_data("normal", numbers(mesh.normals), 3);
  file.triangles(numbers(mesh.triangles));
  if (!mesh.body.empty()) file.cell_data("body", mesh.body);
  return file.finish();
}

/// "water/water_000012.vtp": where a frame of an object is, seen from the folder of the .pvd files.
std::string vtp_name(const std::string& object, std::int64_t index) {
  return object + "/" + numbered_name(object, index, ".vtp");
}

std::string pvd(const std::vector<std::string>& objects, const Times& times) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const auto& [index, time] : times)
    for (std::size_t part = 0; part < objects.size(); ++part)
      out +=
          fmt::format("<DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", time,
                      part, escape_xml(objects[part]), escape_xml(vtp_name(objects[part], index)));
  return out + "</Collection>\n</VTKFile>\n";
}

/// The times in an object's .pvd as written above; none if it is missing or foreign.
Times read_times(const fs::path& file, const std::string& object) {
  Times times;
  if (!fs::exists(file)) return times;
  const std::string text = read_file(file);
  for (std::size_t at = 0; (at = text.find("timestep=\"", at)) != std::string::npos;) {
    at += std::string_view("timestep=\"").size();
    double time = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), time);
    const std::size_t slash = text.find('/', at), quote = text.find('"', slash);
    if (slash == std::string::npos || quote == std::string::npos) break;
    const std::int64_t index =
        number_in_name(std::string_view(text).substr(slash + 1, quote - slash - 1), object, ".vtp");
    if (index >= 0) times[index] = time;
  }
  return times;
}

class VtkExporter final : public FrameExporter {
 public:
  VtkExporter(const fs::path& folder, const Objects& objects, const VtkOptions& options,
              LiquidMesher mesher)
      : root_(folder),
        objects_(objects),
        compression_(options.compression),
        mesher_(std::move(mesher)) {
    std::vector<std::string> names = liquid_object_names(objects, mesher_ != nullptr);
    names.insert(names.end(), objects.body_objects.begin(), objects.body_objects.end());
    names_ = file_names(names, {"run"});
    members_.resize(objects.body_objects.size());
    for (std::uint32_t b = 0; b < objects.bodies.size(); ++b)
      members_[objects.bodies[b].object].push_back(b);
    make_folder(root_);
    for (const std::string& name : names_) make_folder(root_ / name);
    if (options.go_on && !names_.empty())
      times_ = read_times(root_ / (names_[0] + ".pvd"), names_[0]);
  }

  void write(const Frame& frame) override {
    const std::size_t liquids = frame.liquids.size();
    for (std::size_t i = 0; i < names_.size(); ++i)
      write_file_atomically(
          root_ / vtp_name(names_[i], frame.index),
          i < liquids ? liquid_object_vtp(frame, i) : body_object_vtp(frame, i - liquids));
    times_.erase(times_.lower_bound(frame.index), times_.end());  // left by a longer, earlier run
    times_[frame.index] = frame.time;
    for (const std::string& name : names_)
      write_file_atomically(root_ / (name + ".pvd"), pvd({name}, times_));
    write_file_atomically(root_ / "run.pvd", pvd(names_, times_));
  }

 private:
  std::string liquid_object_vtp(const Frame& frame, std::size_t liquid) const {
    return mesher_ ? mesh_vtp(frame, mesher_(frame, liquid), compression_)
                   : liquid_vtp(frame, frame.liquids[liquid], compression_);
  }
  std::string body_object_vtp(const Frame& frame, std::size_t object) const {
    return mesh_vtp(frame, merge_bodies(objects_, frame, members_[object]), compression_);
  }

  const fs::path root_;
  const Objects& objects_;
  const int compression_;
  const LiquidMesher mesher_;
  std::vector<std::string> names_;                   // liquids, then body entries, as file names
  std::vector<std::vector<std::uint32_t>> members_;  // bodies of each body entry
  Times times_;                                      // of the frames written so far
};

}  // namespace

std::unique_ptr<FrameExporter> make_vtk_exporter(const fs::path& folder, const Objects& objects,
                                                 const VtkOptions& options, LiquidMesher mesher) {
  return std::make_unique<VtkExporter>(folder, objects, options, std::move(mesher));
}

std::vector<std::string> liquid_object_names(const Objects& objects, bool surface) {
  std::vector<std::string> names;
  for (const LiquidInfo& liquid : objects.liquids)
    names.push_back(surface ? liquid.name + "_surface" : liquid.name);
  return names;
}

}  // namespace hydrolith
