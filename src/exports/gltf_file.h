#pragma once
// A binary glTF 2.0 file (.glb): JSON that describes, then one block of little-endian bytes.

#include "hydrolith/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hydrolith {

class GltfFile {
 public:
  // Each returns the number of what it adds.
  int times(const std::vector<float>& seconds);      // key times, ascending
  int vectors(const std::vector<Vec3f>& values);     // positions, normals, translations, scales
  int quaternions(const std::vector<Quat>& values);  // rotations
  int indices(const std::vector<std::array<std::uint32_t, 3>>& triangles);
  int material(const std::string& name, const Vec3f& colour, float opacity, float roughness);
  int mesh(const std::string& name, int positions, int normals, int corners, int use_material);
  /// `properties` is JSON such as "translation":[0,0,0]; may be empty. mesh -1: none.
  int node(const std::string& name, int use_mesh, const std::string& properties);
  /// Property "translation", "rotation" or "scale" of a node; interpolation "LINEAR" or "STEP".
  void animate(int node, const std::string& property, int key_times, int values,
               const std::string& interpolation);
  /// Nodes added so far become children of a new root.
  std::string finish(const std::string& title, const std::string& root_properties) const;

 private:
  int accessor(const void* bytes, std::size_t size, std::size_t count, int component_type,
               const char* type, int target, const std::string& bounds);

  std::string bytes_;
  std::vector<std::string> views_, accessors_, materials_, meshes_, nodes_, samplers_, channels_;
};

}  // namespace hydrolith
