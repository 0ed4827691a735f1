// Houdini's classic .bgeo, read back by a strict reader that knows the format from its description.

#include "hydrolith/error.h"

#include "exported.h"
#include "output/files.h"

#include <zlib.h>

#include <bit>

namespace hydrolith::test {

namespace {

struct Bgeo {
  struct Attribute {
    std::string name;
    std::size_t size;
    std::uint32_t type;
  };
  std::vector<Attribute> attributes;
  std::vector<std::vector<std::uint32_t>> rows;  // x y z w, then the attributes, as words
};

class BgeoReader {
 public:
  explicit BgeoReader(std::string bytes) : bytes_(std::move(bytes)) {}

  Bgeo read() {
    REQUIRE(text(5) == "BgeoV");
    REQUIRE(word() == 5);
    const std::uint32_t points = word();
    for (int i = 0; i < 3; ++i) REQUIRE(word() == 0);  // primitives, groups
    const std::uint32_t attributes = word();
    for (int i = 0; i < 3; ++i) REQUIRE(word() == 0);  // of vertices, primitives, the whole
    Bgeo out;
    std::size_t row = 4;
    for (std::uint32_t a = 0; a < attributes; ++a) {
      const std::string name = text(half());
      const std::size_t size = half();
      out.attributes.push_back({name, size, word()});
      for (std::size_t k = 0; k < size; ++k) REQUIRE(word() == 0);  // default
      row += size;
    }
    for (std::uint32_t i = 0; i < points; ++i) {
      auto& r = out.rows.emplace_back();
      for (std::size_t k = 0; k < row; ++k) r.push_back(word());
    }
    REQUIRE(text(2) == std::string("\0\xff", 2));
    REQUIRE(at_ == bytes_.size());
    return out;
  }

 private:
  std::string text(std::size_t n) {
    REQUIRE(at_ + n <= bytes_.size());
    return bytes_.substr((at_ += n) - n, n);
  }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (const char c : text(4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::size_t half() {
    const std::string t = text(2);
    return static_cast<unsigned char>(t[0]) * 256u + static_cast<unsigned char>(t[1]);
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

float number(std::uint32_t word) { return std::bit_cast<float>(word); }

}  // namespace

TEST_CASE("a .bgeo holds position, id, velocity and the other fields of every particle") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "bgeo");
  const Bgeo file = BgeoReader(read_file(folder.path() / "water" / "water_000004.bgeo")).read();
  REQUIRE(file.attributes.size() == 3);
  CHECK(file.attributes[0].name == "id");
  CHECK(file.attributes[0].type == 1);  // whole number
  CHECK(file.attributes[1].name == "v");
  CHECK(file.attributes[1].size == 3);
  CHECK(file.attributes[1].type == 5);  // vector
  CHECK(file.attributes[2].name == "pressure");
  CHECK(file.attributes[2].type == 0);  // number
  const LiquidFrame expected = export_frame(objects, 4).liquids[0];
  REQUIRE(file.rows.size() == expected.position.size());
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const auto& row = file.rows[i];
    for (int k = 0; k < 3; ++k) {
      CHECK(number(row[k]) == expected.position[i][k]);
      CHECK(number(row[5 + k]) == expected.fields[0].values[3 * i + k]);
    }
    CHECK(number(row[3]) == 1);
    CHECK(row[4] == expected.id[i]);
    CHECK(number(row[8]) == expected.fields[1].values[i]);
  }
}

TEST_CASE("with compression a .bgeo is a gzip file of the same bytes") {
  const TemporaryFolder folder;
  export_to(folder, sample_objects(), "bgeo");
  export_to(folder, sample_objects(), "bgeo", "", 6);
  const fs::path plain = folder.path() / "water" / "water_000003.bgeo";
  std::string unpacked(2 * fs::file_size(plain), '\0');
  const gzFile file = gzopen((plain.string() + ".gz").c_str(), "rb");
  REQUIRE(file != nullptr);
  const int size = gzread(file, unpacked.data(), static_cast<unsigned>(unpacked.size()));
  gzclose(file);
  REQUIRE(size > 0);
  CHECK(unpacked.substr(0, static_cast<std::size_t>(size)) == read_file(plain));
}

TEST_CASE("bgeo without liquid is refused with what to do instead") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  objects.liquids.clear();
  CHECK(contains(message_of<Error>([&] { export_to(folder, objects, "bgeo"); }),
                 "for bodies use usd"));
}

}  // namespace hydrolith::test
