#pragma once
// Where things are in the folder of a run.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

std::filesystem::path objects_file(const std::filesystem::path& run);
std::filesystem::path frame_file(const std::filesystem::path& run, std::int64_t index);

/// "frame_000012.h5" from stem "frame", index 12 and extension ".h5".
std::string numbered_name(std::string_view stem, std::int64_t index, std::string_view extension);
/// The index in such a name, or -1.
std::int64_t number_in_name(std::string_view name, std::string_view stem,
                            std::string_view extension);

/// Indices of the files STEM_NNNNNN.EXT in a folder, ascending; none if there is no such folder.
std::vector<std::int64_t> list_numbered(const std::filesystem::path& folder, std::string_view stem,
                                        std::string_view extension);

/// Indices of the whole frames in RUN/frames, ascending; none if there is no such folder.
std::vector<std::int64_t> list_frames(const std::filesystem::path& run);

/// One name for each object, fit for every file system and different from all others and from
/// `reserved` even where upper and lower case are the same. Letters of any language stay.
std::vector<std::string> file_names(const std::vector<std::string>& names,
                                    const std::vector<std::string>& reserved);

}  // namespace hydrolith
