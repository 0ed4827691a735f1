// objects.h5 and frame_NNNNNN.h5: what goes in comes out, and nothing else is accepted.

#include "hydrolith/error.h"

#include "fixtures.h"
#include "output/format_mark.h"
#include "output/frame_file.h"
#include "output/hdf5_file.h"

namespace hydrolith::test {

namespace {

Frame round_trip(const Frame& frame, const Objects& objects, int compression = 4) {
  return decode_frame(encode_frame(frame, objects, "f.h5", compression), objects, "f.h5");
}

Objects round_trip(const Objects& objects) {
  return decode_objects(encode_objects(objects, "o.h5", 4), "o.h5");
}

}  // namespace

TEST_CASE("objects come back bit for bit, with names in any script") {
  CHECK(same(round_trip(sample_objects()), sample_objects()));
}

TEST_CASE("objects of a flat scene, an empty scene and one without camera come back") {
  Objects flat = sample_objects();
  flat.dimensions = 2;
  flat.has_camera = false;
  CHECK(same(round_trip(flat), flat));
  CHECK(same(round_trip(Objects{}), Objects{}));
}

TEST_CASE("meshes too large for a header come back from compressed chunks") {
  Objects objects = sample_objects();
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    objects.meshes[0].vertices.emplace_back(float(i), 1.0f / float(i + 1), 0.f);
    objects.meshes[0].triangles.push_back({i, i + 1, i + 2});
  }
  CHECK(same(round_trip(objects), objects));
}

TEST_CASE("frames come back bit for bit at every compression and size") {
  const Objects objects = sample_objects();
  for (const std::size_t particles : {0, 1, 700, 40'000})
    for (const int compression : {0, 4, 9}) {
      CAPTURE(particles);
      CAPTURE(compression);
      const Frame frame = sample_frame(objects, 7, particles);
      CHECK(same(round_trip(frame, objects, compression), frame));
    }
}

TEST_CASE("a frame of an empty scene comes back") {
  const Frame frame = sample_frame(Objects{}, 0, 0);
  CHECK(same(round_trip(frame, Objects{}), frame));
}

TEST_CASE("many fields keep their order, units and names in any script") {
  const Objects objects = sample_objects();
  Frame frame = sample_frame(objects, 0, 3);
  for (const char* name : {"z", "a", "Température", "volume error", "m"})
    frame.liquids[1].fields.push_back({name, "µm/s^2", 1, {1, 2, 3}});
  CHECK(same(round_trip(frame, objects), frame));
}

TEST_CASE("NaN and infinity in a field survive") {
  const Objects objects = sample_objects();
  Frame frame = sample_frame(objects, 0, 2);
  frame.liquids[0].fields[1].values = {std::numeric_limits<float>::quiet_NaN(), -INFINITY};
  const auto values = round_trip(frame, objects).liquids[0].fields[1].values;
  CHECK(std::isnan(values[0]));
  CHECK(values[1] == -INFINITY);
}

TEST_CASE("the same frame gives the same bytes") {
  const Objects objects = sample_objects();
  const Frame frame = sample_frame(objects, 3, 10'000);
  CHECK(encode_frame(frame, objects, "a.h5", 4) == encode_frame(frame, objects, "b.h5", 4));
  CHECK(encode_objects(objects, "a.h5", 4) == encode_objects(objects, "b.h5", 4));
}

TEST_CASE("a file names its format, its version, its maker and the unit of every table") {
  const Objects objects = sample_objects();
  const std::string bytes = encode_frame(sample_frame(objects, 3, 10), objects, "f.h5", 4);
  const h5::File file("f.h5", bytes);
  CHECK(file.root().text_attribute("format") == "hydrolith frame");
  CHECK(file.root().integer_attribute("format_version") == 1);
  CHECK(file.root().text_attribute("created_by").starts_with("hydrolith "));
  CHECK(file.root().text_attribute("unit", "time") == "s");
  CHECK(file.root().text_attribute("unit", "liquids/0/position") == "m");
  CHECK(file.root().text_attribute("unit", "liquids/0/fields/pressure") == "Pa");
  CHECK(file.root().text_attribute("unit", "bodies/angular_velocity") == "rad/s");
  CHECK(file.root().text_attribute("name", "liquids/1") == objects.liquids[1].name);
}

TEST_CASE("frames that do not fit together are refused before they are written") {
  const Objects objects = sample_objects();
  const auto refusal = [&](auto change) {
    Frame frame = sample_frame(objects, 4, 10);
    change(frame);
    return message_of<Error>([&] { encode_frame(frame, objects, "f.h5", 4); });
  };
  CHECK(
      contains(refusal([](Frame& f) { f.liquids.pop_back(); }), "frame 4: 1 liquids, expected 2"));
  CHECK(contains(refusal([](Frame& f) { f.bodies.pop_back(); }), "2 bodies, expected 3"));
  CHECK(contains(refusal([](Frame& f) { f.liquids[0].id.pop_back(); }), "9 ids for 10 particles"));
  CHECK(contains(refusal([](Frame& f) { f.liquids[0].fields[0].values.pop_back(); }),
                 "field velocity has 29 values for 10 particles"));
  CHECK(contains(refusal([](Frame& f) { f.liquids[0].fields[1].components = 2; }),
                 "1 or 3 are possible"));
  CHECK(contains(refusal([](Frame& f) { f.liquids[0].fields[1].name = "a/b"; }), "a/b"));
  CHECK(contains(refusal([](Frame& f) { f.liquids[0].fields[1].name = "velocity"; }),
                 "two fields are called velocity"));
  CHECK(contains(refusal([](Frame& f) { f.index = -1; }), "frames count from 0"));
}

TEST_CASE("objects that do not fit together are refused before they are written") {
  const auto refusal = [&](auto change) {
    Objects objects = sample_objects();
    change(objects);
    return message_of<Error>([&] { encode_objects(objects, "o.h5", 4); });
  };
  CHECK(contains(refusal([](Objects& o) { o.bodies[1].mesh = 2; }), "brick[0]"));
  CHECK(contains(refusal([](Objects& o) { o.bodies[2].object = 2; }), "brick[1]"));
  CHECK(contains(refusal([](Objects& o) { o.meshes[0].triangles[0][2] = 4; }), "vertex 4 of 4"));
}

// ---- files by other hands ----------------------------------------------------------------------

namespace {

/// A frame file built table by table, so that a test can spoil one of them.
std::string hand_made_frame(std::int64_t version, const auto& spoil) {
  h5::File file("hand.h5", 4);
  const h5::Group& root = file.root();
  root.write_attribute("format", "hydrolith frame");
  root.write_attribute("format_version", version);
  root.write_attribute("created_by", "somebody 9.9");
  root.write_scalar<std::int64_t>("index", 0, {});
  root.write_scalar<std::int64_t>("step", 0, {});
  root.write_scalar<double>("time", 0, {});
  const h5::Group liquid = root.create_group("liquids").create_group("0");
  spoil(liquid);
  const h5::Group bodies = root.create_group("bodies");
  for (const char* name : {"position", "velocity", "angular_velocity"})
    bodies.write<double>(name, {}, 3, {});
  bodies.write<double>("orientation", {}, 4, {});
  return file.finish();
}

std::string message_for(std::int64_t version, const auto& spoil) {
  Objects objects;
  objects.liquids.resize(1);
  return message_of<IoError>(
      [&] { decode_frame(hand_made_frame(version, spoil), objects, "hand.h5"); });
}

const std::vector<std::uint32_t> three_ids{1, 2, 3};
const std::vector<float> nine_floats(9);

}  // namespace

TEST_CASE("a frame by other hands is read if it follows the format") {
  CHECK(message_for(1, [](const h5::Group& liquid) {
          liquid.write<std::uint32_t>("id", three_ids, 1, {});
          liquid.write<float>("position", nine_floats, 3, {});
          liquid.create_group("fields");
        }) == "(no error)");
}

TEST_CASE("a frame that breaks the format is refused with the file and the fault") {
  const auto nothing = [](const h5::Group&) {};
  CHECK(message_for(2, nothing) ==
        "hand.h5: version 2 of the format; this program reads version 1. "
        "Use the version of hydrolith that wrote it (somebody 9.9)");
  CHECK(contains(message_for(1, nothing), "hand.h5: cannot open id"));
  CHECK(contains(message_for(1, [](auto& l) { l.template write<float>("id", nine_floats, 1, {}); }),
                 "hand.h5: id has the wrong type of number"));
  CHECK(contains(
      message_for(1, [](auto& l) { l.template write<std::uint32_t>("id", three_ids, 3, {}); }),
      "id has the wrong shape"));
  CHECK(contains(message_for(1,
                             [](auto& l) {
                               l.template write<std::uint32_t>("id", three_ids, 1, {});
                               l.template write<float>("position", {}, 3, {});
                               l.create_group("fields");
                             }),
                 "3 ids for 0 particles"));
  CHECK(contains(
      message_for(1,
                  [](auto& l) {
                    l.template write<std::uint32_t>("id", three_ids, 1, {});
                    l.template write<float>("position", nine_floats, 3, {});
                    l.create_group("fields").template write<float>("p", nine_floats, 1, {"Pa", ""});
                  }),
      "field p has 9 values for 3 particles"));
}

TEST_CASE("foreign files are refused by name") {
  h5::File foreign("theirs.h5", 0);
  foreign.root().write_scalar<double>("time", 1, {});
  const std::string bytes = foreign.finish();
  const auto refusal = [](std::string_view content) {
    return message_of<IoError>([&] { decode_frame(content, Objects{}, "theirs.h5"); });
  };
  CHECK(refusal(bytes) ==
        "theirs.h5: not a \"hydrolith frame\" file (found: no mark of Hydrolith)");
  CHECK(refusal("") == "theirs.h5: the file is empty");
  CHECK(refusal("solid teapot\nfacet normal") == "theirs.h5: not an HDF5 file");
  CHECK(refusal(encode_objects(Objects{}, "o.h5", 4)) ==
        "theirs.h5: not a \"hydrolith frame\" file (found: hydrolith objects)");
}

TEST_CASE("a mesh whose triangles point nowhere is refused") {
  h5::File file("o.h5", 4);
  const h5::Group& root = file.root();
  write_format(root, "hydrolith objects");
  root.write_attribute("title", "");
  root.write_scalar<std::int64_t>("dimensions", 3, {});
  root.write_scalar<double>("spacing", 1, {});
  root.write<double>("up", std::vector<double>{0, 1, 0}, 1, {});
  root.write_text("body_objects", {}, {});
  const h5::Group liquids = root.create_group("liquids");
  liquids.write_text("name", {}, {});
  liquids.write<double>("density", {}, 1, {});
  liquids.write<float>("colour", {}, 3, {});
  const h5::Group meshes = root.create_group("meshes");
  meshes.write<float>("vertices", nine_floats, 3, {});
  meshes.write<std::uint32_t>("triangles", three_ids, 3, {});  // 1, 2, 3 of 0, 1, 2
  meshes.write<std::uint64_t>("first_vertex", std::vector<std::uint64_t>{0, 3}, 1, {});
  meshes.write<std::uint64_t>("first_triangle", std::vector<std::uint64_t>{0, 1}, 1, {});
  const std::string bytes = file.finish();
  CHECK(message_of<IoError>([&] { decode_objects(bytes, "o.h5"); }) ==
        "o.h5: a triangle of mesh 0 names vertex 3 of 3");
}

// ---- damage ------------------------------------------------------------------------------------

TEST_CASE("a frame cut short at any length is refused, never crashes") {
  const Objects objects = sample_objects();
  const std::string bytes = encode_frame(sample_frame(objects, 0, 3'000), objects, "cut.h5", 4);
  const std::size_t data = bytes.size() - 24;  // then the line with the checksum: all is there
  int refused = 0, tried = 0;
  for (std::size_t length = 0; length < data; length += length < 5'000 ? 61 : 1'009) {
    ++tried;
    const std::string message = message_of<IoError>(
        [&] { decode_frame(std::string_view(bytes).substr(0, length), objects, "cut.h5"); });
    refused += message.starts_with("cut.h5: ");
  }
  CHECK(tried > 100);
  CHECK(refused == tried);
}

TEST_CASE("a flipped bit is noticed or harmless, never a wrong number or a crash") {
  const Objects objects = sample_objects();
  const Frame frame = sample_frame(objects, 0, 3'000);
  const std::string bytes = encode_frame(frame, objects, "flip.h5", 4);
  std::mt19937 random(20240);
  int noticed = 0, harmless = 0, wrong = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 1 + random() % 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    try {
      ++(same(decode_frame(damaged, objects, "flip.h5"), frame) ? harmless : wrong);
    } catch (const IoError&) {
      ++noticed;
    }
  }
  CAPTURE(harmless);
  CHECK(noticed > 1'000);
  CHECK(wrong == 0);
}

}  // namespace hydrolith::test
