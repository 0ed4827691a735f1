#include "viewer/packed_frame.h"

#include "core/parallel.h"
#include "viewer/json_text.h"
#include "viewer/not_found.h"
#include "viewer/packet.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hydrolith {

namespace {

/// Whole numbers from 0 to `steps` for `low` to `high`; what is not finite becomes 0.
struct Quantiser {
  Quantiser(double low, double high, double steps)
      : low_(low), most_(steps), scale_(high > low ? steps / (high - low) : 0) {}
  std::uint32_t operator()(double x) const {
    const double at = scale_ * (x - low_);
    return at > 0 && std::isfinite(at) ? static_cast<std::uint32_t>(std::min(at, most_) + 0.5) : 0;
  }

 private:
  double low_, most_, scale_;
};

/// Numbers of the particles that have a place.
std::vector<std::uint32_t> placed(const LiquidFrame& liquid) {
  std::vector<std::uint32_t> list;
  list.reserve(liquid.position.size());
  for (std::size_t i = 0; i < liquid.position.size(); ++i)
    if (liquid.position[i].allFinite()) list.push_back(static_cast<std::uint32_t>(i));
  return list;
}

/// The particles to pack, and what their numbers are relative to.
struct Chosen {
  std::vector<std::vector<std::uint32_t>> lists;  // of each liquid
  std::vector<std::vector<float>> values;
};

Chosen choose(const Frame& frame, const std::string& field, Packed& about) {
  Chosen chosen;
  for (const LiquidFrame& liquid : frame.liquids) {
    const std::vector<std::uint32_t>& list = chosen.lists.emplace_back(placed(liquid));
    about.counts.push_back(list.size());
    about.left_out += liquid.position.size() - list.size();
    for (const std::uint32_t i : list) about.box.include(liquid.position[i].cast<double>());
    chosen.values.push_back(field.empty() ? std::vector<float>(liquid.position.size(), 0.0f)
                                          : scalar_values(liquid, field));
  }
  about.range = range_of(chosen.values);
  return chosen;
}

/// Calls pack(k, x, value) for the k-th of all particles packed.
template <class F>
void for_each_particle(const Frame& frame, const Chosen& chosen, F&& pack) {
  std::size_t first = 0;
  for (std::size_t l = 0; l < chosen.lists.size(); ++l) {
    const std::vector<std::uint32_t>& list = chosen.lists[l];
    parallel_for(list.size(), [&](std::size_t k) {
      pack(first + k, frame.liquids[l].position[list[k]], chosen.values[l][list[k]]);
    });
    first += list.size();
  }
}

std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t(0));
}

}  // namespace

PackedBits pack_bits(const Frame& frame, const std::string& field) {
  PackedBits packed;
  const Chosen chosen = choose(frame, field, packed);
  const std::size_t n = total(packed.counts);
  packed.words.resize(n);
  packed.halves.resize(n);
  packed.octets.resize(n);
  const auto& [lo, hi] = packed.box;
  std::stable_sort(packed.axes.begin(), packed.axes.end(),
                   [&](int a, int b) { return hi[a] - lo[a] > hi[b] - lo[b]; });
  const auto [a, b, c] = packed.axes;
  const Quantiser first(lo[a], hi[a], 32767), second(lo[b], hi[b], 32767);
  const Quantiser third(lo[c], hi[c], 16383), colour(packed.range.min, packed.range.max, 4095);
  for_each_particle(frame, chosen, [&](std::size_t k, const Vec3f& x, float value) {
    const std::uint32_t v = colour(value);
    packed.words[k] = first(x[a]) | second(x[b]) << 15 | v >> 10 << 30;
    packed.halves[k] = static_cast<std::uint16_t>(third(x[c]) | (v >> 8 & 3u) << 14);
    packed.octets[k] = static_cast<std::uint8_t>(v & 255u);
  });
  return packed;
}

PackedNumbers pack_numbers(const Frame& frame, const std::string& field) {
  PackedNumbers packed;
  const Chosen chosen = choose(frame, field, packed);
  packed.data.resize(4 * total(packed.counts));
  const auto& [lo, hi] = packed.box;
  const Quantiser axes[] = {{lo[0], hi[0], 65535}, {lo[1], hi[1], 65535}, {lo[2], hi[2], 65535}};
  const Quantiser colour(packed.range.min, packed.range.max, 65535);
  for_each_particle(frame, chosen, [&](std::size_t k, const Vec3f& x, float value) {
    std::uint16_t* out = &packed.data[4 * k];
    for (int c = 0; c < 3; ++c) out[c] = static_cast<std::uint16_t>(axes[c](x[c]));
    out[3] = static_cast<std::uint16_t>(colour(value));
  });
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
  if (!field.empty() && chosen == choices.end())
    throw NotFound(
        fmt::format("frame {} has no field \"{}\"; the scene's output.fields says what is written",
                    frame.index, field));
  const PackedBits packed = pack_bits(frame, field);
  const ValueRange& r = packed.range;
  std::string members = frame_members(frame);
  members += ",\"counts\":" + json_list(packed.counts.size(), [&](std::size_t i) {
               return std::to_string(packed.counts[i]);
             });
  members +=
      fmt::format(R"(,"left_out":{},"lo":{},"hi":{},"axes":{})", packed.left_out,
                  json_vector(packed.box.lo), json_vector(packed.box.hi),
                  json_list(3, [&](std::size_t i) { return std::to_string(packed.axes[i]); }));
  if (!field.empty())
    members += fmt::format(R"(,"field":{},"unit":{},"range":[{},{},{},{}])", json_text(field),
                           json_text(chosen->unit), json_number(r.min), json_number(r.max),
                           json_number(r.low), json_number(r.high));
  Packet packet;
  packet.add<std::uint32_t>("words", packed.words);
  packet.add<std::uint16_t>("halves", packed.halves);
  packet.add<std::uint8_t>("octets", packed.octets);
  packet.add<float>("poses", body_poses(frame));
  packet.add<float>("speeds", body_speeds(frame));
  return packet.finish(members);
}

}  // namespace hydrolith
