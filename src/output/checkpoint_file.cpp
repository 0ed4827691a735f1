#include "output/checkpoint_file.h"

#include "output/files.h"
#include "output/format_mark.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <algorithm>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view format_of_checkpoints = "hydrolith checkpoint";
constexpr std::int64_t format_version = 2;
constexpr std::size_t kept = 2;

template <class Number>
void write_column(const h5::Group& group, const Archive::Column& c) {
  group.write(
      c.name,
      std::span(reinterpret_cast<const Number*>(c.bytes.data()), c.bytes.size() / sizeof(Number)),
      c.width, {"", "SI units, as in memory"});
}

template <class Number>
Archive::Column read_column(const h5::Group& group, const std::string& name, int width) {
  const std::vector<Number> values = group.read<Number>(name, width);
  return {
      name, number_type<Number>(), width,
      std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number))};
}

/// Calls f with a number of this type.
template <class F>
auto with_number(NumberType type, F&& f) {
  switch (type) {
    case NumberType::float32:
      return f(float{});
    case NumberType::float64:
      return f(double{});
    case NumberType::uint32:
      return f(std::uint32_t{});
    case NumberType::int64:
      break;
  }
  return f(std::int64_t{});
}

void write_bytes(const h5::Group& group, const std::string& name, std::string_view text,
                 std::string_view meaning) {
  group.write(name, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 1,
              {"", meaning});
}

std::string read_bytes(const h5::Group& group, const std::string& name) {
  const std::vector<std::uint8_t> bytes = group.read<std::uint8_t>(name, 1);
  return {bytes.begin(), bytes.end()};
}

/// The single numbers of OutputProgress, for writing and reading alike.
template <class Progress, class Visit>
void visit_numbers(Progress& p, Visit&& number) {
  number("frames", p.frames, "", "frames written before");
  number("last_frame_time", p.last_frame_time, "s", "simulated time of the last frame");
  number("frame_interval", p.frame_interval, "s", "between frames");
  number("next_frame", p.next_frame, "s", "when the next frame is due");
  number("metrics_interval", p.metrics_interval, "s", "between rows of metrics.csv");
  number("next_metrics", p.next_metrics, "s", "when the next row is due");
  number("metrics_bytes", p.metrics_bytes, "", "length of metrics.csv");
  number("metrics_crc", p.metrics_crc, "", "CRC-32 of that much of it");
  number("unconverged", p.unconverged, "", "steps that reached the maximum of iterations");
  number("wall", p.wall, "s", "computed so far");
}

void write_assets(const h5::Group& group, const std::vector<AssetMark>& assets) {
  std::vector<std::string> files;
  std::vector<std::uint32_t> crcs;
  for (const AssetMark& a : assets) files.push_back(a.file), crcs.push_back(a.crc);
  group.write_text("file", files, {"", "that the scene refers to, from its folder"});
  group.write<std::uint32_t>("crc", crcs, 1, {"", "CRC-32 of its bytes"});
}

std::vector<AssetMark> read_assets(const h5::Group& group) {
  const std::vector<std::string> files = group.read_text("file");
  const auto crcs = group.read<std::uint32_t>("crc", 1);
  if (files.size() != crcs.size()) group.fail("the list of the scene's files is not whole");
  std::vector<AssetMark> assets;
  for (std::size_t i = 0; i < files.size(); ++i) assets.push_back({files[i], crcs[i]});
  return assets;
}

}  // namespace

std::string encode_checkpoint(const Checkpoint& c, const std::string& name) {
  h5::File file(name, 0);
  const h5::Group& root = file.root();
  write_format(root, format_of_checkpoints, format_version);
  root.write_attribute("version", c.version);
  root.write_attribute("name", c.name);
  write_bytes(root, "scene", c.scene, "the scene as run, YAML");
  write_assets(root.create_group("assets"), c.assets);
  if (!c.scene_file.empty())
    write_bytes(root, "scene_file", c.scene_file, "where the scene's relative paths start from");
  root.write<double>("metrics", c.metrics, 1, {"", "values of metrics.csv after the last step"});
  root.write_scalar("step", c.step, {"", "steps taken so far"});
  root.write_scalar("time", c.time, {"s", "simulated time"});
  const h5::Group output = root.create_group("output");
  visit_numbers(c.output,
                [&](const char* key, const auto& value, const char* unit, const char* meaning) {
                  output.write_scalar(key, value, {unit, meaning});
                });
  output.write<double>("expectations", c.output.expectations, 1, {"", "seen so far"});
  const h5::Group state = root.create_group("state");
  for (const Archive::Column& column : c.state.columns)
    with_number(column.type, [&](auto number) { write_column<decltype(number)>(state, column); });
  const h5::Group types = root.create_group("types");
  for (const Archive::Column& column : c.state.columns)
    types.write_scalar(column.name, static_cast<std::uint8_t>(column.type),
                       {"", "0 float32, 1 float64, 2 uint32, 3 int64"});
  return file.finish();
}

Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name) {
  const h5::File file(name, bytes);
  const h5::Group& root = file.root();
  check_format(root, format_of_checkpoints, format_version);
  Checkpoint c;
  c.version = root.text_attribute("version");
  c.name = root.text_attribute("name");
  c.scene = read_bytes(root, "scene");
  c.assets = read_assets(root.group("assets"));
  if (root.has("scene_file")) c.scene_file = read_bytes(root, "scene_file");
  if (root.has("metrics")) c.metrics = root.read<double>("metrics", 1);
  c.step = root.read_scalar<std::int64_t>("step");
  c.time = root.read_scalar<double>("time");
  const h5::Group output = root.group("output");
  visit_numbers(c.output, [&](const char* key, auto& value, const char*, const char*) {
    value = output.read_scalar<std::decay_t<decltype(value)>>(key);
  });
  c.output.expectations = output.read<double>("expectations", 1);
  const h5::Group state = root.group("state"), types = root.group("types");
  for (const std::string& column : state.children()) {
    const auto type = types.read_scalar<std::uint8_t>(column);
    if (type > static_cast<std::uint8_t>(NumberType::int64))
      root.fail("column " + column + " has an unknown type");
    c.state.columns.push_back(with_number(static_cast<NumberType>(type), [&](auto number) {
      return read_column<decltype(number)>(state, column, state.columns(column));
    }));
  }
  return c;
}

fs::path checkpoint_file(const fs::path& run, std::int64_t step) {
  return run / "checkpoints" / numbered_name("checkpoint", step, ".h5");
}

std::vector<std::int64_t> list_checkpoints(const fs::path& run) {
  return list_numbered(run / "checkpoints", "checkpoint", ".h5");
}

void write_checkpoint(const fs::path& run, const Checkpoint& checkpoint) {
  make_folder(run / "checkpoints");
  const fs::path file = checkpoint_file(run, checkpoint.step);
  write_file_atomically(file, encode_checkpoint(checkpoint, file.string()));
  remove_checkpoints_after(run, checkpoint.step);
  const std::vector<std::int64_t> steps = list_checkpoints(run);
  std::error_code ignored;  // one too many does no harm
  for (std::size_t i = 0; i + kept < steps.size(); ++i)
    fs::remove(checkpoint_file(run, steps[i]), ignored);
}

void remove_checkpoints_after(const fs::path& run, std::int64_t step) {
  const std::vector<std::int64_t> steps = list_checkpoints(run);
  std::error_code ignored;
  for (auto later = std::upper_bound(steps.begin(), steps.end(), step); later != steps.end();
       ++later)
    fs::remove(checkpoint_file(run, *later), ignored);
}

Checkpoint read_checkpoint(const fs::path& run, std::int64_t step) {
  const fs::path file = checkpoint_file(run, step);
  return decode_checkpoint(read_file(file), file.string());
}

}  // namespace hydrolith
