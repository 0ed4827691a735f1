#pragma once
// Whole files in and out, with the reason in words when it does not work.

#include <filesystem>
#include <string>
#include <string_view>

namespace hydrolith {

/// The bytes of a file. Throws IoError.
std::string read_file(const std::filesystem::path& file);

/// Makes a folder and its parents. Throws IoError.
void make_folder(const std::filesystem::path& folder);

/// An open file descriptor, closed at the end of its life.
class FileDescriptor {
 public:
  /// Throws IoError. `flags` as of open(2); messages speak of the file as `known_as`.
  FileDescriptor(const std::filesystem::path& file, int flags,
                 const std::filesystem::path& known_as = {});
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return descriptor_; }
  /// Writes all of it. Throws IoError.
  void write(std::string_view bytes);
  /// Cuts the file to this many bytes; best effort, used when writing has failed.
  void truncate(std::size_t size) noexcept;
  /// Waits until the disk has it. Throws IoError.
  void sync();
  /// Closes and reports what close(2) says (some file systems notice a full disk only here).
  void close();

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace hydrolith
