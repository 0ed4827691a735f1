#pragma once
// Files written piece by piece that appear whole or not at all.

#include "output/files.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hydrolith {

/// A file without a name, so that a kill leaves nothing: one for all texts that wait.
class ScratchFile {
 public:
  /// In this folder, where the whole file will be too.
  explicit ScratchFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Where the text begins. Throws IoError.
  std::size_t append(std::string_view text);
  void copy_to(FileDescriptor& out, std::size_t first, std::size_t size);

 private:
  std::filesystem::path folder_;
  std::unique_ptr<FileDescriptor> descriptor_;
  std::size_t size_ = 0;
};

/// Text that waits for its place in a file: in memory while it is short, then on disk.
class FilePart {
 public:
  explicit FilePart(std::shared_ptr<ScratchFile> scratch) : scratch_(std::move(scratch)) {}
  /// Throws IoError.
  void write(std::string_view text);
  /// Appends all of it. Throws IoError.
  void copy_to(FileDescriptor& out) const;

 private:
  struct Piece {
    std::size_t first, size;  // in the scratch file
  };
  std::shared_ptr<ScratchFile> scratch_;
  std::vector<Piece> pieces_;
  std::string waiting_;
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
