#include "viewer/packed_frame.h"

#include "core/check.h"
#include "core/parallel.h"
#include "viewer/json_text.h"
#include "viewer/packet.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double steps = 65535;

/// `low` to `high` in 65536 steps; what is not finite becomes 0.
std::uint16_t quantised(double x, double low, double high) {
  if (!(high > low) || !std::isfinite(x)) return 0;
  return static_cast<std::uint16_t>(
      std::lround(steps * std::clamp((x - low) / (high - low), 0.0, 1.0)));
}

/// Numbers of the particles that have a place.
std::vector<std::uint32_t> placed(const LiquidFrame& liquid) {
  std::vector<std::uint32_t> list;
  list.reserve(liquid.position.size());
  for (std::size_t i = 0; i < liquid.position.size(); ++i)
    if (liquid.position[i].allFinite()) list.push_back(static_cast<std::uint32_t>(i));
  return list;
}

}  // namespace

PackedParticles pack_particles(const Frame& frame, const std::string& field) {
  PackedParticles packed;
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<std::vector<float>> values;
  for (const LiquidFrame& liquid : frame.liquids) {
    lists.push_back(placed(liquid));
    packed.counts.push_back(lists.back().size());
    packed.left_out += liquid.position.size() - lists.back().size();
    for (const std::uint32_t i : lists.back()) packed.box.include(liquid.position[i].cast<double>());
    values.push_back(field.empty() ? std::vector<float>(liquid.position.size(), 0.0f)
                                   : scalar_values(liquid, field));
  }
  packed.range = range_of(values);
  const auto& [lo, hi] = packed.box;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const std::size_t first = packed.data.size();
    packed.data.resize(first + 4 * lists[l].size());
    parallel_for(lists[l].size(), [&](std::size_t k) {
      const Vec3f& x = frame.liquids[l].position[lists[l][k]];
      std::uint16_t* out = &packed.data[first + 4 * k];
      for (int c = 0; c < 3; ++c) out[c] = quantised(x[c], lo[c], hi[c]);
      out[3] = quantised(values[l][lists[l][k]], packed.range.min, packed.range.max);
    });
  }
  return packed;
}

std::string frame_members(const Frame& frame) {
  const std::vector<ScalarChoice> choices = scalar_choices(frame);
  const std::string fields = json_list(choices.size(), [&](std::size_t i) {
    return fmt::format("[{},{}]", json_text(choices[i].name), json_text(choices[i].unit));
  });
  return fmt::format(R"("index":{},"step":{},"time":{},"fields":{})", frame.index, frame.step,
                     json_number(frame.time), fields);
}

std::vector<float> body_poses(const Frame& frame) {
  std::vector<float> poses;
  poses.reserve(7 * frame.bodies.size());
  for (const BodyFrame& body : frame.bodies) {
    for (const double x : body.pose.position) poses.push_back(static_cast<float>(x));
    for (const double x : body.pose.orientation.coeffs()) poses.push_back(static_cast<float>(x));
  }
  return poses;
}

std::vector<float> body_speeds(const Frame& frame) {
  std::vector<float> speeds;
  for (const BodyFrame& body : frame.bodies)
    speeds.push_back(static_cast<float>(body.velocity.norm()));
  return speeds;
}

std::string packed_frame(const Frame& frame, const std::string& field) {
  const std::vector<ScalarChoice> choices = scalar_choices(frame);
  const auto chosen = std::find_if(choices.begin(), choices.end(),
                                   [&](const ScalarChoice& c) { return c.name == field; });
  require(field.empty() || chosen != choices.end(),
          "frame {} has no field \"{}\"; the scene's output.fields says what is written",
          frame.index, field);
  const PackedParticles packed = pack_particles(frame, field);
  const ValueRange& r = packed.range;
  std::string members = frame_members(frame);
  members += ",\"counts\":" + json_list(packed.counts.size(), [&](std::size_t i) {
               return std::to_string(packed.counts[i]);
             });
  members += fmt::format(R"(,"left_out":{},"lo":{},"hi":{})", packed.left_out,
                         json_vector(packed.box.lo), json_vector(packed.box.hi));
  if (!field.empty())
    members += fmt::format(R"(,"field":{},"unit":{},"range":[{},{},{},{}])", json_text(field),
                           json_text(chosen->unit), json_number(r.min), json_number(r.max),
                           json_number(r.low), json_number(r.high));
  Packet packet;
  packet.add<std::uint16_t>("particles", packed.data);
  packet.add<float>("poses", body_poses(frame));
  packet.add<float>("speeds", body_speeds(frame));
  return packet.finish(members);
}

}  // namespace hydrolith
