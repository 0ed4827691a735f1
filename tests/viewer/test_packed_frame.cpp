#include "hydrolith/error.h"

#include "../output/fixtures.h"
#include "packet_reader.h"
#include "viewer/not_found.h"
#include "viewer/packed_frame.h"

#include <limits>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

/// What a shader makes of the bits (sphereMaterial in web/src/shaders.js).
struct Unpacked {
  Vec3 x;
  double value;
};
Unpacked unpacked(const PackedBits& p, std::size_t i) {
  const std::uint32_t word = p.words[i], half = p.halves[i];
  const double part[] = {(word & 0x7fff) / 32767.0, (word >> 15 & 0x7fff) / 32767.0,
                         (half & 0x3fff) / 16383.0};
  Unpacked u{p.box.lo, (word >> 30 << 10 | half >> 14 << 8 | p.octets[i]) / 4095.0};
  for (std::size_t k = 0; k < 3; ++k) u.x[p.axes[k]] += part[k] * p.box.size()[p.axes[k]];
  u.value = p.range.min + u.value * (double(p.range.max) - p.range.min);
  return u;
}

}  // namespace

TEST_CASE("packed positions and values are right to half a step of their range") {
  Frame frame = sample_frame(sample_objects(), 3, 500);
  for (LiquidFrame& liquid : frame.liquids)
    for (Vec3f& x : liquid.position) x.x() *= 0.1f;  // the shortest side comes first
  const PackedBits packed = pack_bits(frame, "pressure");
  REQUIRE(packed.counts == std::vector<std::size_t>{500, 500});
  REQUIRE(packed.words.size() == 1000);
  REQUIRE(packed.axes[2] == 0);
  const Vec3 size = packed.box.size();
  const double width = double(packed.range.max) - packed.range.min;
  std::size_t at = 0;
  for (const LiquidFrame& liquid : frame.liquids)
    for (std::size_t i = 0; i < liquid.position.size(); ++i, ++at) {
      const Unpacked u = unpacked(packed, at);
      // Half of a step, and the round-off of the sum.
      for (int c = 0; c < 3; ++c)
        CHECK(std::abs(u.x[c] - liquid.position[i][c]) <=
              0.5001 * size[c] / (c == packed.axes[2] ? 16383 : 32767));
      CHECK(std::abs(u.value - liquid.fields[1].values[i]) <= 0.5001 * width / 4095);
    }
}

TEST_CASE("numbers of 16 bits are right to half a step as well") {
  const Frame frame = sample_frame(sample_objects(), 3, 500);
  const PackedNumbers packed = pack_numbers(frame, "pressure");
  REQUIRE(packed.data.size() == 4 * 1000);
  const Vec3 size = packed.box.size();
  const double width = double(packed.range.max) - packed.range.min;
  std::size_t at = 0;
  for (const LiquidFrame& liquid : frame.liquids)
    for (std::size_t i = 0; i < liquid.position.size(); ++i, at += 4) {
      for (int c = 0; c < 3; ++c) {
        const double x = packed.box.lo[c] + packed.data[at + c] / 65535.0 * size[c];
        CHECK(std::abs(x - liquid.position[i][c]) <= 0.5001 * size[c] / 65535);
      }
      const double value = packed.range.min + packed.data[at + 3] / 65535.0 * width;
      CHECK(std::abs(value - liquid.fields[1].values[i]) <= 0.5001 * width / 65535);
    }
}

TEST_CASE("a frame takes less than eight bytes a particle, all included") {
  const Objects objects = sample_objects();
  const std::size_t few = packed_frame(sample_frame(objects, 0, 1000), "speed").size();
  const std::size_t many = packed_frame(sample_frame(objects, 0, 2000), "speed").size();
  // Two liquids; numbers in the JSON may have more digits, or fewer.
  CHECK(std::abs(static_cast<double>(many - few) - 7 * 2000) <= 64);
  CHECK(few < 8 * 2000);
}

TEST_CASE("the answer for a frame tells time, counts, box and range, and holds the poses") {
  const Frame frame = sample_frame(sample_objects(), 3, 10);
  const PacketReader packet(packed_frame(frame, "speed"));
  CHECK(contains(packet.json(), "\"index\":3,\"step\":51,\"time\":0.1,"));
  CHECK(contains(packet.json(), "\"counts\":[10,10]"));
  CHECK(contains(packet.json(), "\"field\":\"speed\",\"unit\":\"m/s\",\"range\":["));
  const auto poses = packet.array<float>("poses", "float32");
  REQUIRE(poses.size() == 7 * 3);
  const Pose& pose = frame.bodies[2].pose;
  CHECK(poses[14] == static_cast<float>(pose.position.x()));
  CHECK(poses[20] == static_cast<float>(pose.orientation.w()));
  CHECK(contains(packet.json(), "\"axes\":["));
  CHECK(packet.array<std::uint32_t>("words", "uint32").size() == 20);
  CHECK(packet.array<std::uint16_t>("halves", "uint16").size() == 20);
  CHECK(packet.array<std::uint8_t>("octets", "uint8").size() == 20);
  CHECK(packet.array<float>("speeds", "float32")[1] ==
        static_cast<float>(frame.bodies[1].velocity.norm()));
}

TEST_CASE(
    "vectors are offered by length and component, and a field that is not there is an error") {
  const Frame frame = sample_frame(sample_objects(), 0, 5);
  std::vector<std::string> names;
  for (const ScalarChoice& c : scalar_choices(frame)) names.push_back(c.name);
  CHECK(names ==
        std::vector<std::string>{"speed", "pressure", "velocity.x", "velocity.y", "velocity.z"});
  const LiquidFrame& liquid = frame.liquids[0];
  CHECK(scalar_values(liquid, "velocity.y")[4] == liquid.fields[0].values[13]);
  CHECK(scalar_values(liquid, "speed")[0] == std::hypot(liquid.fields[0].values[0],
                                                        liquid.fields[0].values[1],
                                                        liquid.fields[0].values[2]));
  CHECK(contains(message_of<NotFound>([&] { packed_frame(frame, "heat"); }), "no field \"heat\""));
}

TEST_CASE(
    "particles without a place are left out and counted, values without one become the least") {
  Frame frame = sample_frame(sample_objects(), 0, 5);
  frame.liquids[0].position[2].y() = std::numeric_limits<float>::quiet_NaN();
  frame.liquids[1].fields[1].values[3] = std::numeric_limits<float>::infinity();
  const PackedNumbers packed = pack_numbers(frame, "pressure");
  CHECK(packed.left_out == 1);
  CHECK(packed.counts == std::vector<std::size_t>{4, 5});
  CHECK(std::isfinite(packed.range.max));
  CHECK(packed.data[4 * (4 + 3) + 3] == 0);
  const PackedBits bits = pack_bits(frame, "pressure");
  CHECK(bits.left_out == 1);
  CHECK(unpacked(bits, 4 + 3).value == bits.range.min);
}

TEST_CASE("frames without particles, and with all of them in one place, are packed") {
  Frame frame = sample_frame(sample_objects(), 0, 0);
  CHECK(contains(PacketReader(packed_frame(frame, "speed")).json(), "\"lo\":[null,null,null]"));
  frame = sample_frame(sample_objects(), 0, 2);
  for (LiquidFrame& liquid : frame.liquids)
    for (Vec3f& x : liquid.position) x = Vec3f(1, 2, 3);
  const PackedBits packed = pack_bits(frame, "");
  CHECK(packed.box.lo == Vec3(1, 2, 3));
  CHECK(packed.words == std::vector<std::uint32_t>(4, 0));
  CHECK(unpacked(packed, 3).x == Vec3(1, 2, 3));
  CHECK(pack_numbers(frame, "").data == std::vector<std::uint16_t>(16, 0));
}

TEST_CASE("the middle of the values leaves out two per cent at each end") {
  std::vector<float> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 3) % 1001);
  const ValueRange range = range_of({values});
  CHECK(range.min == 0);
  CHECK(range.max == 1000);
  CHECK(range.low == 20);
  CHECK(range.high == 980);
}
