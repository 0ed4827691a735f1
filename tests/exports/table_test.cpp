// The table of formats, the selection of objects, CSV.

#include "hydrolith/error.h"

#include "exported.h"
#include "exports/selection.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"

#include <limits>

namespace hydrolith::test {

TEST_CASE("an unknown format, or a liquid a format cannot hold, is refused with what there is") {
  CHECK(contains(message_of<Error>([] { find_export_format("udd"); }), "Did you mean \"usd\"?"));
  CHECK(contains(message_of<Error>([] { find_export_format("abc"); }), "vtk, ply, obj"));
  CHECK(contains(message_of<Error>([] { choose_liquid(find_export_format("bgeo"), "surface"); }),
                 "it can: particles"));
  CHECK(choose_liquid(find_export_format("vtk"), "") == LiquidAs::particles);
  CHECK(choose_liquid(find_export_format("vtk"), "surface") == LiquidAs::surface);
}

TEST_CASE("every format of the table writes files, and the same bytes each time") {
  for (const ExportFormat& format : export_formats()) {
    CAPTURE(format.name);
    const TemporaryFolder first, second;
    try {
      export_to(first, sample_objects(), format.name, "", format.compression);
    } catch (const Error& e) {  // a library this build does without
      CHECK(contains(e.what(), "this build has no"));
      continue;
    }
    export_to(second, sample_objects(), format.name, "", format.compression);
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(first.path())) {
      if (!entry.is_regular_file()) continue;
      const fs::path same = second.path() / fs::relative(entry.path(), first.path());
      CAPTURE(same);
      CHECK(read_file(entry.path()) == read_file(same));
      CHECK(entry.path().filename().string()[0] != '.');  // nothing half done
      ++files;
    }
    CHECK(files > 0);
  }
}

TEST_CASE("a liquid without particles is no fault, and lost particles are told of") {
  for (const ExportFormat& format : export_formats()) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    const Objects objects = sample_objects();
    std::vector<std::string> warnings;
    ExportSettings settings;
    settings.run = settings.folder = folder;
    settings.liquid = format.liquids.front();
    settings.warn = [&](const std::string& text) { warnings.push_back(text); };
    try {
      const auto exporter = format.make(objects, settings);
      exporter->write(export_frame(objects, 0, 0));
      CHECK(warnings.empty());
      Frame lost = export_frame(objects, 1);
      lost.liquids[0].position[3].x() = std::numeric_limits<float>::infinity();
      exporter->write(lost);
      exporter->finish();
    } catch (const Error& e) {  // a library this build does without
      CHECK(contains(e.what(), "this build has no"));
      continue;
    }
    const bool meshes = settings.liquid == LiquidAs::surface || settings.liquid == LiquidAs::volume;
    REQUIRE(warnings.size() == (meshes ? 1u : 0u));
    if (meshes) CHECK(contains(warnings[0], "frame 1: 1 particles of water"));
  }
}

TEST_CASE("a selection is a run of its own") {
  const Objects objects = sample_objects();
  const Frame frame = sample_frame(objects, 1, 4);
  const Selection all(objects, {}, true);
  CHECK(same(all.objects(), objects));
  CHECK(same(all.frame(frame), frame));

  const Selection one(objects, {"brick[1]", "water"}, true);
  REQUIRE(one.objects().bodies.size() == 1);
  CHECK(one.objects().bodies[0].name == "brick[1]");
  CHECK(one.objects().bodies[0].object == 0);
  CHECK(one.objects().body_objects == std::vector<std::string>{"brick"});
  CHECK(same(one.frame(frame).bodies[0], frame.bodies[2]));
  CHECK(one.frame(frame).liquids.size() == 1);

  CHECK(Selection(objects, {"brick"}, true).objects().bodies.size() == 2);
  CHECK(Selection(objects, {}, false).objects().liquids.empty());
  CHECK(contains(message_of<Error>([&] { Selection(objects, {"brik"}, true); }),
                 "no \"brik\". Did you mean \"brick\"? It has tank, brick, water"));
}

TEST_CASE("in two dimensions bodies are about as thin as the slab of liquid") {
  Objects objects = sample_objects();
  objects.dimensions = 2;
  objects.spacing = 0.02;
  const Selection all(objects, {}, true);
  const std::vector<Vec3f>&before = objects.meshes[0].vertices,
        &after = all.objects().meshes[0].vertices;
  REQUIRE(after.size() == before.size());
  for (std::size_t v = 0; v < after.size(); ++v)
    CHECK((after[v] - before[v].cwiseProduct(Vec3f(1, 1, 0.03f))).norm() < 1e-7f);
}

TEST_CASE("the table of a body has pose, velocity and forces by origin, a row a frame") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  write_file_atomically(folder.path() / "metrics.csv",
                        "time,step,momentum.x,gauge.pressure\n0,0,1,\n0.5,1,2,30\n");
  export_to(folder, objects, "csv");
  const MetricsTable table = read_metrics(folder.path() / "bodies" / "brick[1].csv");
  REQUIRE(table.rows.size() == 3);
  const Frame frame = export_frame(objects, 4);
  const auto value = [&](const char* column) {
    REQUIRE(table.column(column) >= 0);
    return table.rows[1][static_cast<std::size_t>(table.column(column))];
  };
  CHECK(value("frame") == 4);
  CHECK(value("time") == frame.time);
  CHECK(value("position.y") == frame.bodies[2].pose.position.y());
  CHECK(value("orientation.w") == frame.bodies[2].pose.orientation.w());
  CHECK(value("angular_velocity.z") == frame.bodies[2].angular_velocity.z());
  CHECK(value("pressure_force.z") == 3);
  CHECK(value("friction_torque.x") == 0.1);
  const BodyForces& forces = *frame.bodies[2].forces;
  CHECK(value("force.z") == forces.pressure.force.z() + forces.viscosity.force.z() +
                                forces.contact.force.z() + forces.friction.force.z());

  const MetricsTable probes = read_metrics(folder.path() / "probes.csv");
  CHECK(probes.columns == std::vector<std::string>{"time", "step", "gauge.pressure"});
  REQUIRE(probes.rows.size() == 2);
  CHECK(std::isnan(probes.rows[0][2]));
  CHECK(probes.rows[1][2] == 30);
}

}  // namespace hydrolith::test
