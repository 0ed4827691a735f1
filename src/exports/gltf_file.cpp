#include "exports/gltf_file.h"

#include "hydrolith/error.h"

#include "exports/mesh_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace hydrolith {
static_assert(std::endian::native == std::endian::little, "arrays are copied as they are");

namespace {

constexpr int float_type = 5126, uint_type = 5125;  // names of OpenGL
constexpr int vertex_target = 34962, index_target = 34963;

int last(const std::vector<std::string>& list) { return static_cast<int>(list.size()) - 1; }

void append_word(std::string& out, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::string list(const char* name, const std::vector<std::string>& items) {
  return items.empty() ? "" : fmt::format(",\"{}\":[{}]", name, fmt::join(items, ","));
}

}  // namespace

int GltfFile::accessor(const void* bytes, std::size_t size, std::size_t count, int component_type,
                       const char* type, int target, const std::string& bounds) {
  const std::size_t offset = size_;
  if (size_ + size > 0xf0000000)
    throw Error(
        "glTF files hold at most 4 GB: choose fewer frames with --frames, a larger --cell, or "
        "--liquid none");
  bytes_.write({static_cast<const char*>(bytes), size});
  size_ += size;
  views_.push_back(fmt::format("{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}{}}}", offset,
                               size, target ? fmt::format(",\"target\":{}", target) : ""));
  accessors_.push_back(
      fmt::format("{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"{}\"{}}}",
                  last(views_), component_type, count, type, bounds));
  return last(accessors_);
}

int GltfFile::times(const std::vector<float>& seconds) {
  const std::string bounds =
      fmt::format(",\"min\":[{}],\"max\":[{}]", seconds.front(), seconds.back());
  return accessor(seconds.data(), 4 * seconds.size(), seconds.size(), float_type, "SCALAR", 0,
                  bounds);
}

int GltfFile::vertices(const std::vector<Vec3f>& values) { return vectors(values, vertex_target); }
int GltfFile::keys(const std::vector<Vec3f>& values) { return vectors(values, 0); }

int GltfFile::vectors(const std::vector<Vec3f>& values, int target) {
  Vec3f lo = values.front(), hi = values.front();
  for (const Vec3f& v : values) {
    lo = lo.cwiseMin(v);
    hi = hi.cwiseMax(v);
  }
  const std::string bounds = fmt::format(",\"min\":[{},{},{}],\"max\":[{},{},{}]", lo.x(), lo.y(),
                                         lo.z(), hi.x(), hi.y(), hi.z());
  return accessor(values.data(), 12 * values.size(), values.size(), float_type, "VEC3", target,
                  bounds);
}

int GltfFile::quaternions(const std::vector<Quat>& values) {
  std::vector<float> xyzw;
  for (const Quat& q : values)
    for (const double part : {q.x(), q.y(), q.z(), q.w()}) xyzw.push_back(static_cast<float>(part));
  return accessor(xyzw.data(), 4 * xyzw.size(), values.size(), float_type, "VEC4", 0, "");
}

int GltfFile::indices(const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  return accessor(triangles.data(), 12 * triangles.size(), 3 * triangles.size(), uint_type,
                  "SCALAR", index_target, "");
}

int GltfFile::material(const std::string& name, const Vec3f& colour, float opacity,
                       float roughness) {
  materials_.push_back(
      fmt::format("{{\"name\":{},\"pbrMetallicRoughness\":{{\"baseColorFactor\":[{},{},{},{}],"
                  "\"metallicFactor\":0,\"roughnessFactor\":{}}}{}}}",
                  quoted_text(name), colour.x(), colour.y(), colour.z(), opacity, roughness,
                  opacity < 1 ? ",\"alphaMode\":\"BLEND\",\"doubleSided\":true" : ""));
  return last(materials_);
}

int GltfFile::mesh(const std::string& name, int positions, int normals, int corners,
                   int use_material) {
  meshes_.push_back(fmt::format(
      "{{\"name\":{},\"primitives\":[{{\"attributes\":{{\"POSITION\":{},\"NORMAL\":{}}},"
      "\"indices\":{},\"material\":{}}}]}}",
      quoted_text(name), positions, normals, corners, use_material));
  return last(meshes_);
}

int GltfFile::node(const std::string& name, int use_mesh, const std::string& properties) {
  nodes_.push_back(fmt::format("{{\"name\":{}{}{}}}", quoted_text(name),
                               use_mesh >= 0 ? fmt::format(",\"mesh\":{}", use_mesh) : "",
                               properties.empty() ? "" : "," + properties));
  return last(nodes_);
}

void GltfFile::animate(int node, const std::string& property, int key_times, int values,
                       const std::string& interpolation) {
  samplers_.push_back(fmt::format("{{\"input\":{},\"output\":{},\"interpolation\":\"{}\"}}",
                                  key_times, values, interpolation));
  channels_.push_back(fmt::format("{{\"sampler\":{},\"target\":{{\"node\":{},\"path\":\"{}\"}}}}",
                                  last(samplers_), node, property));
}

std::string GltfFile::json(const std::string& title, const std::string& root_properties) const {
  std::vector<std::string> nodes = nodes_, children;
  for (std::size_t i = 0; i < nodes_.size(); ++i) children.push_back(std::to_string(i));
  nodes.push_back(fmt::format("{{\"name\":{}{}{}}}", quoted_text(title),
                              root_properties.empty() ? "" : "," + root_properties,
                              list("children", children)));
  std::string json = fmt::format(
      "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"hydrolith {}\"}},\"scene\":0,"
      "\"scenes\":[{{\"nodes\":[{}]}}]{}{}{}{}{}",
      HYDROLITH_VERSION, nodes_.size(), list("nodes", nodes), list("meshes", meshes_),
      list("materials", materials_), list("accessors", accessors_), list("bufferViews", views_));
  if (!channels_.empty())
    json += fmt::format(",\"animations\":[{{\"name\":\"run\"{}{}}}]", list("samplers", samplers_),
                        list("channels", channels_));
  if (size_ > 0) json += fmt::format(",\"buffers\":[{{\"byteLength\":{}}}]", size_);
  json += "}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  return json;
}

void GltfFile::write(const std::filesystem::path& file, const std::string& title,
                     const std::string& root_properties) {
  const std::string text = json(title, root_properties);
  std::string head = "glTF";
  append_word(head, 2);
  append_word(head, 12 + 8 + text.size() + (size_ > 0 ? 8 + size_ : 0));
  append_word(head, text.size());
  WholeFile out(file);
  out.write(head + "JSON");
  out.write(text);
  if (size_ > 0) {
    std::string chunk;
    append_word(chunk, size_);  // a multiple of four: all numbers are
    out.write(chunk + std::string("BIN\0", 4));
    bytes_.copy_to(out.descriptor());
  }
  out.commit();
}

}  // namespace hydrolith
