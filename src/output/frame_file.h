#pragma once
// objects.h5 and frame_NNNNNN.h5 as bytes (docs/frame-format.md). Reading checks everything.

#include "hydrolith/frame.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// `name` of the file is for messages. All four throw IoError.
std::string encode_objects(const Objects& objects, const std::string& name, int compression);
Objects decode_objects(std::string_view bytes, const std::string& name);

/// Throws Error for a body without its mesh or object, or a triangle without its vertices.
void check_objects(const Objects& objects);

std::string encode_frame(const Frame& frame, const Objects& objects, const std::string& name,
                         int compression);
/// Throws Error unless the frame has the liquids and bodies of `objects` and whole columns.
void check_frame(const Frame& frame, const Objects& objects);
/// Fails unless the frame has the liquids and bodies of `objects`.
Frame decode_frame(std::string_view bytes, const Objects& objects, const std::string& name);

/// Number, step, time and bodies of a frame on disk, without reading its liquids. Throws IoError.
Frame read_motion(const std::filesystem::path& file, const Objects& objects);
/// Particles of each liquid in a frame on disk. Throws IoError.
std::vector<std::size_t> count_particles(const std::filesystem::path& file);

}  // namespace hydrolith
