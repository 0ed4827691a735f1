#pragma once
// A binary glTF 2.0 file (.glb): JSON that describes, then one block of little-endian bytes, which
// waits on disk until the whole file is written.

#include "hydrolith/vec.h"

#include "exports/whole_file.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hydrolith {

class GltfFile {
 public:
  /// Throws Error if the file would be larger than 4 GB.
  explicit GltfFile(const std::filesystem::path& folder)
      : bytes_(std::make_shared<ScratchFile>(folder)) {}

  // Each returns the number of what it adds.
  int times(const std::vector<float>& seconds);      // key times, ascending
  int vertices(const std::vector<Vec3f>& values);    // positions, normals
  int keys(const std::vector<Vec3f>& values);        // translations, scales
  int quaternions(const std::vector<Quat>& values);  // rotations
  int indices(const std::vector<std::array<std::uint32_t, 3>>& triangles);
  int material(const std::string& name, const Vec3f& colour, float opacity, float roughness);
  int mesh(const std::string& name, int positions, int normals, int corners, int use_material);
  /// `properties` is JSON such as "translation":[0,0,0]; may be empty. mesh -1: none.
  int node(const std::string& name, int use_mesh, const std::string& properties);
  /// Property "translation", "rotation" or "scale" of a node; interpolation "LINEAR" or "STEP".
  void animate(int node, const std::string& property, int key_times, int values,
               const std::string& interpolation);
  /// Nodes added so far become children of a new root. Throws IoError.
  void write(const std::filesystem::path& file, const std::string& title,
             const std::string& root_properties);

 private:
  int vectors(const std::vector<Vec3f>& values, int target);
  int accessor(const void* bytes, std::size_t size, std::size_t count, int component_type,
               const char* type, int target, const std::string& bounds);

  std::string json(const std::string& title, const std::string& root_properties) const;

  FilePart bytes_;
  std::size_t size_ = 0;  // [bytes] of it
  std::vector<std::string> views_, accessors_, materials_, meshes_, nodes_, samplers_, channels_;
};

}  // namespace hydrolith
