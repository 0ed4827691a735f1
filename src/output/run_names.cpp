#include "output/run_names.h"

#include "hydrolith/error.h"

#include "output/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

namespace hydrolith {
namespace fs = std::filesystem;

fs::path objects_file(const fs::path& run) { return run / "objects.h5"; }

fs::path frame_file(const fs::path& run, std::int64_t index) {
  return run / "frames" / numbered_name("frame", index, ".h5");
}

std::string numbered_name(std::string_view stem, std::int64_t index, std::string_view extension) {
  return fmt::format("{}_{:06}{}", stem, index, extension);
}

std::int64_t number_in_name(std::string_view name, std::string_view stem,
                            std::string_view extension) {
  if (name.size() < stem.size() + 1 + extension.size() || !name.starts_with(stem)) return -1;
  std::int64_t index = -1;
  const char* first = name.data() + stem.size() + 1;
  std::from_chars(first, name.data() + name.size(), index);
  return index >= 0 && name == numbered_name(stem, index, extension) ? index : -1;
}

std::vector<std::int64_t> list_frames(const fs::path& run) {
  return list_numbered(run / "frames", "frame", ".h5");
}

std::vector<std::int64_t> list_numbered(const fs::path& folder, std::string_view stem,
                                        std::string_view extension) {
  std::vector<std::int64_t> indices;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return indices;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::int64_t index = number_in_name(entry->path().filename().string(), stem, extension);
    if (index >= 0) indices.push_back(index);
  }
  if (error) throw IoError(fmt::format("{}: cannot list: {}", folder.string(), error.message()));
  std::sort(indices.begin(), indices.end());
  return indices;
}

namespace {

/// Removes FOLDER/STEM_NNNNNN.EXT with NNNNNN >= first.
void remove_numbered(const fs::path& folder, std::string_view stem, std::string_view extension,
                     std::int64_t first) {
  std::vector<fs::path> doomed;
  for (const auto& entry : fs::directory_iterator(folder))
    if (number_in_name(entry.path().filename().string(), stem, extension) >= first)
      doomed.push_back(entry.path());
  for (const fs::path& file : doomed) fs::remove(file);
}

}  // namespace

void remove_frames(const fs::path& run, std::int64_t first, const FrameFormats& formats) try {
  if (fs::is_directory(run / "frames")) remove_numbered(run / "frames", "frame", ".h5", first);
  struct Format {
    bool written;
    const char *folder, *extension;
  };
  for (const auto& [written, folder, extension] :
       {Format{formats.vtk, "vtk", ".vtp"}, Format{formats.ply, "ply", ".ply"}}) {
    if (!written || !fs::is_directory(run / folder)) continue;
    for (const auto& object : fs::directory_iterator(run / folder))
      if (object.is_directory())
        remove_numbered(object.path(), object.path().filename().string(), extension, first);
  }
} catch (const fs::filesystem_error& error) {
  throw IoError(fmt::format("{}: cannot remove earlier frames: {}", error.path1().string(),
                            error.code().message()));
}

namespace {

constexpr std::size_t longest_name = 100;  // [bytes] with number and extension far below 255

/// Without characters that a file system, a shell or XML may refuse.
std::string clean(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool forbidden = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
                           std::string_view("/\\:*?\"<>|&'% ").find(c) != std::string_view::npos;
    text += forbidden ? '_' : c;
  }
  if (text.size() > longest_name) {
    std::size_t cut = longest_name;
    while (cut > 0 && (text[cut] & 0xC0) == 0x80) --cut;  // not inside a UTF-8 character
    text.resize(cut);
  }
  while (!text.empty() && text.back() == '.') text.pop_back();
  if (text.empty() || text.front() == '.') text.insert(0, "_");
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::vector<std::string> file_names(const std::vector<std::string>& names,
                                    const std::vector<std::string>& reserved) {
  std::set<std::string> taken(reserved.begin(), reserved.end());
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const std::string base = clean(name);
    std::string unique = base;
    for (int k = 2; !taken.insert(lower_case(unique)).second; ++k)
      unique = fmt::format("{}_{}", base, k);
    result.push_back(unique);
  }
  return result;
}

}  // namespace hydrolith
