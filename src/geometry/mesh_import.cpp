#include "geometry/mesh_import.h"

#include "hydrolith/error.h"

#include "geometry/mesh_holes.h"
#include "geometry/mesh_ply.h"
#include "geometry/mesh_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>

#ifdef HYDROLITH_MESH_IMPORT
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/scene.h>
#endif

namespace hydrolith {

namespace fs = std::filesystem;

#ifdef HYDROLITH_MESH_IMPORT
namespace {

// A mesh beyond this needs some 20 GB here alone; it is a broken file or the wrong tool.
constexpr std::size_t most_triangles = 100'000'000;

/// A file in memory, as the reader sees it. Some readers loop for ever on files that end too early;
/// reading far more than there is ends them.
class ContentStream : public Assimp::IOStream {
 public:
  explicit ContentStream(std::vector<std::byte> content) : content_(std::move(content)) {}

  size_t Read(void* buffer, size_t size, size_t count) override {
    const std::size_t left = content_.size() - at_;
    const std::size_t items = size == 0 ? 0 : std::min(count, left / size);
    if (++reads_ > 1000 + 100 * content_.size()) throw IoError("the file ends too early");
    std::memcpy(buffer, content_.data() + at_, items * size);
    at_ += items * size;
    return items;
  }
  aiReturn Seek(size_t offset, aiOrigin origin) override {
    const std::size_t from = origin == aiOrigin_SET   ? 0
                             : origin == aiOrigin_CUR ? at_
                                                      : content_.size();
    if (offset > content_.size() - from) return aiReturn_FAILURE;
    at_ = from + offset;
    return aiReturn_SUCCESS;
  }
  size_t Tell() const override { return at_; }
  size_t FileSize() const override { return content_.size(); }
  size_t Write(const void*, size_t, size_t) override { return 0; }
  void Flush() override {}

 private:
  std::vector<std::byte> content_;
  std::size_t at_ = 0, reads_ = 0;
};

std::vector<std::byte> read_whole(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::byte> content(fs::file_size(file));
  stream.read(reinterpret_cast<char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
  if (!stream)
    throw IoError(fmt::format("{}: cannot be opened; is it yours to read?", file.string()));
  return content;
}

/// What the reader may open: the mesh file itself, and files in its folder and below (none if
/// `folder` is empty). It cannot write.
class MeshFiles : public Assimp::IOSystem {
 public:
  MeshFiles(std::string name, std::vector<std::byte> content, const fs::path& folder)
      : name_(std::move(name)), content_(std::move(content)) {
    if (!folder.empty()) folder_ = fs::weakly_canonical(folder);
  }
  bool Exists(const char* file) const override {
    std::error_code failed;
    return file == name_ || (allowed(file) && fs::is_regular_file(file, failed));
  }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    if (mode == nullptr || mode[0] != 'r' || !Exists(file)) return nullptr;
    return new ContentStream(file == name_ ? content_ : read_whole(file));
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  std::string name_;
  std::vector<std::byte> content_;
  fs::path folder_;

  bool allowed(const char* file) const {
    if (folder_.empty()) return false;
    std::error_code failed;
    const fs::path inside = fs::weakly_canonical(file, failed).lexically_relative(folder_);
    return !failed && !inside.empty() && *inside.begin() != "..";
  }
};

Vec3 to_vec(const aiVector3D& x) { return {x.x, x.y, x.z}; }

/// One mesh at its place. The importer's own steps that cut polygons and check indices stop the
/// program when a file is broken, so none of them is used.
void append_mesh(TriangleMesh& mesh, const aiMesh& part, const aiMatrix4x4& placement) {
  if (mesh.triangles.size() + part.mNumFaces > most_triangles)
    throw MeshError(fmt::format("it has more than {} triangles", most_triangles));
  if (part.mNumFaces > 0 && (part.mVertices == nullptr || part.mFaces == nullptr)) return;
  TriangleMesh placed;
  for (unsigned v = 0; v < part.mNumVertices; ++v)
    placed.vertices.push_back(to_vec(placement * part.mVertices[v]));
  for (unsigned f = 0; f < part.mNumFaces; ++f)
    append_polygon(placed, {part.mFaces[f].mIndices, part.mFaces[f].mNumIndices});
  if (placement.Determinant() < 0) turn_inside_out(placed);
  append(mesh, placed);
}

/// All meshes of the scene as often as its nodes place them.
TriangleMesh flatten(const aiScene& scene) {
  struct Placed {
    const aiNode* node;
    aiMatrix4x4 placement;
  };
  TriangleMesh mesh;
  std::vector<Placed> open;
  if (scene.mRootNode != nullptr)
    open.push_back({scene.mRootNode, scene.mRootNode->mTransformation});
  while (!open.empty()) {
    const Placed at = open.back();
    open.pop_back();
    for (unsigned i = 0; i < at.node->mNumMeshes; ++i)
      if (at.node->mMeshes[i] < scene.mNumMeshes)
        append_mesh(mesh, *scene.mMeshes[at.node->mMeshes[i]], at.placement);
    for (unsigned i = at.node->mNumChildren; i-- > 0;)
      open.push_back(
          {at.node->mChildren[i], at.placement * at.node->mChildren[i]->mTransformation});
  }
  return mesh;
}

void require_known(const std::string& kind, const std::string& name) {
  if (!kind.empty() && Assimp::Importer().IsExtensionSupported("." + kind)) return;
  throw IoError(
      fmt::format("{}: \"{}\" is not a kind of mesh file Hydrolith reads. Use OBJ, PLY, STL, "
                  "glTF or GLB (or OFF, 3DS, DAE, FBX, ...)",
                  name, kind.empty() ? "no extension" : "." + kind));
}

/// Runs the reader for this kind of file; what goes wrong comes in its own words.
TriangleMesh read_mesh(const std::string& path, const std::string& kind,
                       std::vector<std::byte> content, const fs::path& folder,
                       const std::string& name) {
  TriangleMesh mesh;
  if (kind == "ply") {
    mesh = read_ply(content);
  } else {
    Assimp::Importer importer;
    importer.SetIOHandler(new MeshFiles(path, std::move(content), folder));  // importer owns it
    const aiScene* scene = importer.ReadFile(path, 0);
    if (scene == nullptr)
      throw IoError(fmt::format("{}: cannot be read: {}", name, importer.GetErrorString()));
    mesh = flatten(*scene);
  }
  if (mesh.empty()) throw MeshError("it holds no triangles (points and lines make no solid)");
  return mesh;
}

/// Readers that repeat every vertex for every triangle are normal; that is no defect to report.
TriangleMesh finish(TriangleMesh mesh, const RepairOptions& options, MeshReport& report) {
  require_usable(mesh);
  drop_unreferenced(mesh);
  weld(mesh, 0);
  return repair(std::move(mesh), options, report);
}

/// Runs a reader and puts the file's name in front of whatever goes wrong.
template <class F>
TriangleMesh with_name(const std::string& name, F&& read) {
  try {
    return read();
  } catch (const IoError&) {
    throw;
  } catch (const MeshError& e) {
    throw MeshError(fmt::format("{}: {}", name, e.what()));
  } catch (const std::bad_alloc&) {
    throw IoError(fmt::format("{}: there is not enough memory to read this mesh", name));
  } catch (const std::exception& e) {
    throw IoError(fmt::format("{}: cannot be read: {}", name, e.what()));
  } catch (...) {
    throw IoError(fmt::format("{}: cannot be read", name));
  }
}

void require_readable(const fs::path& file) {
  std::error_code failed;
  if (!fs::exists(file, failed))
    throw IoError(fmt::format("{}: there is no such mesh file", file.string()));
  if (!fs::is_regular_file(file, failed))
    throw IoError(fmt::format("{}: is not a file", file.string()));
  if (fs::file_size(file, failed) == 0 && !failed)
    throw IoError(fmt::format("{}: the mesh file is empty", file.string()));
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

bool can_import_meshes() { return true; }

TriangleMesh import_mesh(const fs::path& file, const RepairOptions& options, MeshReport& report) {
  const std::string name = file.string();
  return with_name(name, [&] {
    require_readable(file);
    const std::string extension = lower(file.extension().string());
    const std::string kind = extension.empty() ? "" : extension.substr(1);
    require_known(kind, name);
    const fs::path path = fs::absolute(file);
    return finish(read_mesh(path.string(), kind, read_whole(path), path.parent_path(), name),
                  options, report);
  });
}

TriangleMesh import_mesh_from_memory(std::span<const std::byte> content, const std::string& kind,
                                     const std::string& name, const RepairOptions& options,
                                     MeshReport& report) {
  return with_name(name, [&] {
    if (content.empty()) throw IoError(fmt::format("{}: the mesh file is empty", name));
    require_known(lower(kind), name);
    return finish(
        read_mesh("memory." + lower(kind), lower(kind), {content.begin(), content.end()}, {}, name),
        options, report);
  });
}

#else  // without assimp

namespace {
[[noreturn]] void refuse(const std::string& name) {
  throw IoError(
      fmt::format("{}: this build of Hydrolith does not read mesh files. Configure it with "
                  "-DHYDROLITH_MESH_IMPORT=ON (needs assimp)",
                  name));
}
}  // namespace

bool can_import_meshes() { return false; }

TriangleMesh import_mesh(const fs::path& file, const RepairOptions&, MeshReport&) {
  refuse(file.string());
}
TriangleMesh import_mesh_from_memory(std::span<const std::byte>, const std::string&,
                                     const std::string& name, const RepairOptions&, MeshReport&) {
  refuse(name);
}

#endif

}  // namespace hydrolith
