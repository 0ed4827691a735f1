#pragma once
// Files written piece by piece that appear whole or not at all.

#include "output/files.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hydrolith {

/// Text that waits for its place in a file: in memory while it is short, then on disk without a
/// name, so that a kill leaves nothing.
class FilePart {
 public:
  /// In this folder, where the whole file will be too. Throws IoError.
  explicit FilePart(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void write(std::string_view text);
  /// Appends all of it. Throws IoError.
  void copy_to(FileDescriptor& out);

 private:
  void spill();

  std::filesystem::path folder_;
  std::string waiting_;
  std::unique_ptr<FileDescriptor> descriptor_;
};

/// Written under a hidden name beside `file`; commit() gives it its name.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& file);
  ~WholeFile();  // removes what was not committed
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  FileDescriptor& descriptor() { return *descriptor_; }
  void write(std::string_view text) { descriptor_->write(text); }
  void commit();

 private:
  std::filesystem::path file_, temporary_;
  std::unique_ptr<FileDescriptor> descriptor_;
};

}  // namespace hydrolith
