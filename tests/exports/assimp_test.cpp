// glTF, OBJ and PLY, read back by assimp.

#include "exported.h"
#include "output/exporter.h"
#include "surface/liquid_surface.h"

#include <assimp/Importer.hpp>
#include <assimp/scene.h>

#include <cmath>
#include <map>

namespace hydrolith::test {

namespace {

const aiScene& load(Assimp::Importer& importer, const fs::path& file) {
  const aiScene* scene = importer.ReadFile(file.string(), 0);
  REQUIRE_MESSAGE(scene != nullptr, importer.GetErrorString());
  return *scene;
}

Vec3 vec(const aiVector3D& v) { return Vec3(v.x, v.y, v.z); }

LiquidSurface surface_of(const Objects& objects, int index) {
  return liquid_surface(export_frame(objects, index).liquids[0], objects.spacing, 3);
}

void check_same(const aiMesh& mesh, const LiquidSurface& surface) {
  REQUIRE(mesh.mNumVertices == surface.mesh.vertices.size());
  REQUIRE(mesh.mNumFaces == surface.mesh.triangles.size());
  REQUIRE(mesh.HasNormals());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    CHECK(vec(mesh.mVertices[v]) == surface.mesh.vertices[v].cast<double>());
    CHECK(vec(mesh.mNormals[v]) == surface.normal[v].cast<double>());
  }
  for (unsigned t = 0; t < mesh.mNumFaces; ++t)
    for (unsigned k = 0; k < 3; ++k)
      CHECK(mesh.mFaces[t].mIndices[k] == surface.mesh.triangles[t][k]);
}

}  // namespace

TEST_CASE("assimp reads the surface of a liquid from PLY, vertex for vertex") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "ply", "surface");
  Assimp::Importer importer;
  const aiScene& scene =
      load(importer, folder.path() / "water_surface" / "water_surface_000004.ply");
  REQUIRE(scene.mNumMeshes == 1);
  check_same(*scene.mMeshes[0], surface_of(objects, 4));
}

TEST_CASE("assimp reads surface and bodies from OBJ") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "obj");
  Assimp::Importer importer;
  const aiScene& liquid =
      load(importer, folder.path() / "water_surface" / "water_surface_000004.obj");
  REQUIRE(liquid.mNumMeshes == 1);
  // assimp gives every corner of an OBJ a vertex of its own.
  const LiquidSurface surface = surface_of(objects, 4);
  const aiMesh& mesh = *liquid.mMeshes[0];
  REQUIRE(mesh.mNumFaces == surface.mesh.triangles.size());
  for (unsigned t = 0; t < mesh.mNumFaces; ++t)
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned corner = mesh.mFaces[t].mIndices[k];
      const std::uint32_t vertex = surface.mesh.triangles[t][k];
      // Its reader of decimals is off by a unit in the last place at times.
      const Vec3 x = surface.mesh.vertices[vertex].cast<double>();
      CHECK((vec(mesh.mVertices[corner]) - x).norm() < 1e-7);
      CHECK((vec(mesh.mNormals[corner]) - surface.normal[vertex].cast<double>()).norm() < 1e-6);
    }

  Assimp::Importer other;
  const aiScene& bodies = load(other, folder.path() / "bodies" / "bodies_000004.obj");
  REQUIRE(bodies.mNumMeshes == 3);
  const Pose pose = export_frame(objects, 4).bodies[2].pose;
  const Vec3 corner = pose * objects.meshes[1].vertices[0].cast<double>();
  CHECK(std::string(bodies.mMeshes[2]->mName.C_Str()) == "brick[1]");
  CHECK((vec(bodies.mMeshes[2]->mVertices[0]) - corner).norm() < 1e-6);  // single precision
  REQUIRE(bodies.mMeshes[2]->HasNormals());  // of the first triangle, which lies in z = 0
  const Vec3 down = pose.orientation * Vec3(0, 0, -1);
  CHECK((vec(bodies.mMeshes[2]->mNormals[0]) - down).norm() < 1e-6);
}

TEST_CASE("assimp reads bodies with keyframes and one surface a frame from glTF") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  export_to(folder, objects, "gltf");
  Assimp::Importer importer;
  const aiScene& scene = load(importer, folder.path() / "run.glb");
  REQUIRE(scene.mNumAnimations == 1);
  std::map<std::string, const aiNodeAnim*> channels;
  for (unsigned c = 0; c < scene.mAnimations[0]->mNumChannels; ++c) {
    const aiNodeAnim* channel = scene.mAnimations[0]->mChannels[c];
    channels[channel->mNodeName.C_Str()] = channel;
  }
  for (std::size_t b = 0; b < objects.bodies.size(); ++b) {
    const std::string& name = objects.bodies[b].name;
    CAPTURE(name);
    const aiNode* node = scene.mRootNode->FindNode(name.c_str());
    REQUIRE(node != nullptr);
    REQUIRE(node->mNumMeshes == 1);
    const aiMesh& mesh = *scene.mMeshes[node->mMeshes[0]];
    REQUIRE(mesh.mNumVertices == 12);  // a tetrahedron has sharp edges: three normals a corner
    for (unsigned t = 0; t < mesh.mNumFaces; ++t) {
      const unsigned* c = mesh.mFaces[t].mIndices;
      const Vec3 a = vec(mesh.mVertices[c[1]]) - vec(mesh.mVertices[c[0]]);
      const Vec3 across = a.cross(vec(mesh.mVertices[c[2]]) - vec(mesh.mVertices[c[0]]));
      for (int k = 0; k < 3; ++k)
        CHECK((vec(mesh.mNormals[c[k]]) - across.normalized()).norm() < 1e-6);
    }
    REQUIRE(channels.contains(name));
    const aiNodeAnim& keys = *channels[name];
    REQUIRE(keys.mNumPositionKeys == 3);
    REQUIRE(keys.mNumRotationKeys == 3);
    for (unsigned k = 0; k < 3; ++k) {
      const Frame frame = export_frame(objects, 3 + static_cast<int>(k));
      const Pose& pose = frame.bodies[b].pose;
      // assimp counts milliseconds; single precision.
      CHECK(keys.mPositionKeys[k].mTime == doctest::Approx(1e3 * (k / 30.0)).epsilon(1e-5));
      CHECK((vec(keys.mPositionKeys[k].mValue) - pose.position).norm() < 1e-6);
      const aiQuaternion& q = keys.mRotationKeys[k].mValue;
      const Quat turn(q.w, q.x, q.y, q.z);
      CHECK(std::abs(turn.coeffs().dot(pose.orientation.coeffs())) > 1 - 1e-6);
      if (k > 0) {
        const aiQuaternion& p = keys.mRotationKeys[k - 1].mValue;
        CHECK(q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z >= 0);  // the short way round
      }
    }
  }
  // Surfaces follow each other: each has scale 1 about its own frame only.
  for (int k = 0; k < 3; ++k) {
    const std::string name = fmt::format("water_surface_{:06}", 3 + k);
    const aiNode* node = scene.mRootNode->FindNode(name.c_str());
    REQUIRE(node != nullptr);
    check_same(*scene.mMeshes[node->mMeshes[0]], surface_of(objects, 3 + k));
    CHECK(node->mTransformation.a1 == (k == 0 ? 1 : 0));  // at rest the first alone is seen
    REQUIRE(channels.contains(name));
    const aiNodeAnim& keys = *channels[name];
    REQUIRE(keys.mNumScalingKeys == (k == 1 ? 3u : 2u));
    // Shown from half a frame before to half a frame after its own time.
    for (unsigned i = 0; i < keys.mNumScalingKeys; ++i) {
      const double frames = keys.mScalingKeys[i].mTime * 1e-3 * 30 - k;  // after its own
      CHECK(keys.mScalingKeys[i].mValue.x == (frames > -0.6 && frames < 0.4 ? 1 : 0));
      CHECK((std::abs(std::abs(frames) - 0.5) < 1e-3 || keys.mScalingKeys[i].mTime == 0));
    }
  }
  // The root turns z, which is up in the run, to y.
  const aiNode* root = scene.mRootNode->FindNode(objects.title.c_str());
  REQUIRE(root != nullptr);
  const aiVector3D up = root->mTransformation * aiVector3D(0, 0, 1);
  CHECK(up.y == doctest::Approx(1));
}

}  // namespace hydrolith::test
