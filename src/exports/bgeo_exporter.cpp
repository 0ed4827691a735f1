// Houdini's classic binary geometry (.bgeo, version 5), which Partio, Houdini and surface tools
// read: big-endian; a head of counts, the point attributes, then a row for every point (x y z w,
// attributes), and two bytes that end it. With compression a gzip file, .bgeo.gz.

#include "hydrolith/error.h"

#include "exports/formats.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <bit>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

enum AttributeType : std::uint32_t { number = 0, whole_number = 1, vector = 5 };

void append_short(std::string& out, std::size_t value) {
  out += static_cast<char>(value >> 8 & 0xff);
  out += static_cast<char>(value & 0xff);
}

void append_word(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xff);
}

void append_float(std::string& out, float value) {
  append_word(out, std::bit_cast<std::uint32_t>(value));
}

void append_attribute(std::string& out, const std::string& name, int components,
                      AttributeType type) {
  append_short(out, name.size());
  out += name;
  append_short(out, static_cast<std::size_t>(components));
  append_word(out, type);
  for (int k = 0; k < components; ++k) append_word(out, 0);  // default value
}

/// Houdini calls velocity v; names have letters, digits and underscores.
std::string attribute_name(const Field& field) {
  if (field.name == "velocity") return "v";
  std::string name = field.name;
  for (char& c : name)
    if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z')) c = '_';
  return name;
}

std::string bgeo(const LiquidFrame& liquid) {
  const std::size_t n = liquid.position.size();
  if (n >= (std::size_t{1} << 31))
    throw Error(fmt::format("{} particles in one .bgeo file; at most 2^31 fit", n));
  std::string out = "BgeoV";
  const auto attributes = static_cast<std::uint32_t>(1 + liquid.fields.size());
  // version; points, primitives, groups of points and of primitives; attributes of points,
  // vertices, primitives and of the whole.
  for (const std::uint32_t count :
       {5u, static_cast<std::uint32_t>(n), 0u, 0u, 0u, attributes, 0u, 0u, 0u})
    append_word(out, count);
  append_attribute(out, "id", 1, whole_number);
  std::size_t row = 4 + 1;
  for (const Field& field : liquid.fields) {
    append_attribute(out, attribute_name(field), field.components,
                     field.components == 3 ? vector : number);
    row += static_cast<std::size_t>(field.components);
  }
  out.reserve(out.size() + 4 * row * n + 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) append_float(out, liquid.position[i][k]);
    append_float(out, 1);
    append_word(out, liquid.id[i]);
    for (const Field& field : liquid.fields) {
      const auto components = static_cast<std::size_t>(field.components);
      for (std::size_t k = 0; k < components; ++k)
        append_float(out, field.values[i * components + k]);
    }
  }
  out += '\0';
  out += '\xff';
  return out;
}

std::string gzipped(const std::string& bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
  return out;
}

class BgeoExporter final : public RunExporter {
 public:
  BgeoExporter(const Objects& objects, const ExportSettings& settings)
      : folder_(settings.folder), compression_(settings.compression) {
    std::vector<std::string> liquids;
    for (const LiquidInfo& liquid : objects.liquids) liquids.push_back(liquid.name);
    if (liquids.empty())
      throw Error("bgeo holds particles, and no liquid is chosen; for bodies use usd, gltf or obj");
    names_ = file_names(liquids, {});
    for (const std::string& name : names_) make_folder(folder_ / name);
  }

  void write(const Frame& frame) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string bytes = bgeo(frame.liquids[i]);
      const fs::path file =
          folder_ / names_[i] /
          numbered_name(names_[i], frame.index, compression_ > 0 ? ".bgeo.gz" : ".bgeo");
      write_file_atomically(file, compression_ > 0 ? gzipped(bytes, compression_) : bytes);
    }
  }

 private:
  const fs::path folder_;
  const int compression_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<RunExporter> make_bgeo_exporter(const Objects& objects,
                                                const ExportSettings& settings) {
  return std::make_unique<BgeoExporter>(objects, settings);
}

}  // namespace hydrolith
