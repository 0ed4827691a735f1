#include "viewer/html_export.h"

#include "core/check.h"
#include "output/base64.h"
#include "output/deflate.h"
#include "output/files.h"
#include "viewer/body_columns.h"
#include "viewer/json_text.h"
#include "viewer/packed_frame.h"
#include "viewer/packet.h"
#include "viewer/page.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr std::string_view place = "<!--run-->";  // in the page, where the run goes

/// 12 bits are enough for thinned particles and halve the file: the noise of the rest does not
/// compress.
constexpr int bits = 12;  // as source.js of the page expects

/// Evenly spread over [0, n), the last one included.
std::vector<std::size_t> evenly(std::size_t n, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (most == 0 || n == 0) return chosen;
  const std::size_t count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(count == 1 ? n - 1 : i * (n - 1) / (count - 1));
  return chosen;
}

/// A number between 0 and 1 that belongs to a particle for the whole run.
double lot(std::uint32_t id) {
  std::uint32_t h = id * 0x9e3779b9u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return static_cast<double>(h ^ (h >> 16)) / 4294967296.0;
}

/// Only the particles whose lot falls below `part`.
LiquidFrame thinned(const LiquidFrame& all, double part) {
  if (part >= 1) return all;
  LiquidFrame few;
  for (const Field& f : all.fields) few.fields.push_back({f.name, f.unit, f.components, {}});
  for (std::size_t i = 0; i < all.id.size(); ++i) {
    if (lot(all.id[i]) >= part) continue;
    few.id.push_back(all.id[i]);
    few.position.push_back(all.position[i]);
    for (std::size_t f = 0; f < all.fields.size(); ++f) {
      const auto n = static_cast<std::size_t>(all.fields[f].components);
      const auto first = all.fields[f].values.begin() + static_cast<std::ptrdiff_t>(n * i);
      few.fields[f].values.insert(few.fields[f].values.end(), first,
                                  first + static_cast<std::ptrdiff_t>(n));
    }
  }
  return few;
}

/// One of four numbers a particle as differences from particle to particle, coarse, low bytes first
/// and high bytes behind them: what compresses best.
std::vector<std::int8_t> column(const std::vector<std::uint16_t>& data, std::size_t which) {
  const std::size_t n = data.size() / 4;
  std::vector<std::int8_t> bytes(2 * n);
  int before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int now = data[4 * i + which] >> (16 - bits);
    const auto step = static_cast<std::uint16_t>(now - before);
    bytes[i] = static_cast<std::int8_t>(step & 0xff);
    bytes[n + i] = static_cast<std::int8_t>(step >> 8);
    before = now;
  }
  return bytes;
}

/// The frame in columns "x", "y", "z", "value 0", "value 1", ... for the fields told in the JSON.
/// Components of vectors are left out.
std::string export_frame(const Frame& frame) {
  const PackedNumbers places = pack_numbers(frame, "");
  Packet packet;
  constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t c = 0; c < 3; ++c) packet.add<std::int8_t>(axes[c], column(places.data, c));
  std::string ranges;
  for (const ScalarChoice& choice : scalar_choices(frame)) {
    if (choice.name.find('.') != std::string::npos) continue;
    const PackedNumbers packed = pack_numbers(frame, choice.name);
    const ValueRange& r = packed.range;
    packet.add<std::int8_t>("value " + choice.name, column(packed.data, 3));
    ranges += fmt::format("{}{}:[{},{},{},{}]", ranges.empty() ? "" : ",", json_text(choice.name),
                          json_number(r.min), json_number(r.max), json_number(r.low),
                          json_number(r.high));
  }
  packet.add<float>("poses", body_poses(frame));
  packet.add<float>("speeds", body_speeds(frame));
  std::vector<float> states;
  for (const BodyFrame& body : frame.bodies)
    for (const BodyColumn& c : body_columns()) states.push_back(static_cast<float>(c.value(body)));
  packet.add<float>("states", states);
  const std::string counts = json_list(
      places.counts.size(), [&](std::size_t i) { return std::to_string(places.counts[i]); });
  return packet.finish(fmt::format(
      R"({},"counts":{},"left_out":{},"lo":{},"hi":{},"ranges":{{{}}})", frame_members(frame),
      counts, places.left_out, json_vector(places.box.lo), json_vector(places.box.hi), ranges));
}

/// The frames to write: those asked for, thinned.
std::vector<FrameEntry> choose(const RunView& run, const HtmlExportOptions& options) {
  std::vector<FrameEntry> all = run.frames();
  std::erase_if(all, [&](const FrameEntry& f) {
    return std::isnan(f.time) ||
           (!options.frames.empty() && std::find(options.frames.begin(), options.frames.end(),
                                                 f.index) == options.frames.end());
  });
  require(!all.empty(), "{}: no whole frame to export", run.reader().folder().string());
  std::vector<FrameEntry> chosen;
  for (const std::size_t i : evenly(all.size(), options.max_frames)) chosen.push_back(all[i]);
  return chosen;
}

/// Metrics thinned like frames, but finer: a chart has no more points than a screen.
std::string export_metrics(const RunView& run) {
  MetricsTable table;
  try {
    table = read_metrics(run.reader().folder() / "metrics.csv");
  } catch (const IoError&) {  // charts stay empty
  }
  const std::vector<std::size_t> rows = evenly(table.rows.size(), 4000);
  std::vector<double> values;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (const std::size_t r : rows) values.push_back(table.rows[r][c]);
  Packet packet;
  packet.add<double>("values", values);
  return packet.finish(fmt::format(
      R"("from":0,"rows":{},"all_rows":{},"generation":0,"columns":{})", rows.size(),
      table.rows.size(),
      json_list(table.columns.size(), [&](std::size_t i) { return json_text(table.columns[i]); })));
}

}  // namespace

std::string embedded(std::string_view bytes) {
  std::string out;
  append_base64(out, zlib_compressed(bytes, 9));
  return out;
}

HtmlExportReport export_html(const RunView& run, const std::filesystem::path& file,
                             const HtmlExportOptions& options) {
  require(options.max_particles > 0 && options.max_frames > 0,
          "an export needs at least one frame and one particle");
  const std::vector<FrameEntry> chosen = choose(run, options);
  std::string frames, times;
  HtmlExportReport report{.frames = chosen.size()};
  std::size_t most = 1;  // particles of a frame, before thinning
  for (const FrameEntry& entry : chosen) {
    std::size_t n = 0;
    for (const std::size_t count : run.reader().count_particles(entry.index)) n += count;
    most = std::max(most, n);
  }
  const double part =
      std::min(1.0, static_cast<double>(options.max_particles) / static_cast<double>(most));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Frame frame = run.reader().read(chosen[i].index);
    std::size_t particles = 0;
    for (LiquidFrame& liquid : frame.liquids) {
      liquid = thinned(liquid, part);
      particles += liquid.id.size();
    }
    report.particles = std::max(report.particles, particles);
    const char* comma = i > 0 ? "," : "";
    frames += comma + json_text(embedded(export_frame(frame)));
    times += fmt::format("{}[{},{}]", comma, chosen[i].index, json_number(chosen[i].time));
    if (options.progress) options.progress(i + 1, chosen.size());
  }
  const std::vector<BodyColumn>& columns = body_columns();
  const std::string data = fmt::format(
      R"({{"part":{},"run":{},"status":{},"times":[{}],"body_columns":{},"meshes":"{}","metrics":"{}","frames":[{}]}})",
      json_number(part), json_text(embedded(run.run())), json_text(embedded(run.status(0))), times,
      json_list(columns.size(),
                [&](std::size_t i) {
                  return fmt::format("[{},{}]", json_text(columns[i].name),
                                     json_text(columns[i].unit));
                }),
      embedded(run.meshes()), embedded(export_metrics(run)), frames);
  std::string html(viewer_page());
  const std::size_t at = html.find(place);
  require(at != std::string::npos,
          "the viewer's page has no place for a run: build it with `make web`");
  html.replace(at, place.size(),
               "<script type=\"application/json\" id=\"run\">" + data + "</script>");
  write_file_atomically(file, html);
  report.bytes = html.size();
  return report;
}

}  // namespace hydrolith
