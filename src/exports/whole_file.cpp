#include "exports/whole_file.h"

#include "hydrolith/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

/// A name no other file of this process has.
fs::path part_name(const fs::path& folder) {
  static int count = 0;
  return folder / fmt::format(".part_{}_{}.tmp", ::getpid(), count++);
}

[[noreturn]] void fail(const fs::path& file, std::string_view verb) {
  throw IoError(fmt::format("{}: cannot {}: {}.", file.string(), verb,
                            std::generic_category().message(errno)));
}

}  // namespace

std::size_t ScratchFile::append(std::string_view text) {
  if (!descriptor_) {
    const fs::path file = part_name(folder_);
    descriptor_ = std::make_unique<FileDescriptor>(file, O_RDWR | O_CREAT | O_TRUNC);
    ::unlink(file.c_str());
  }
  descriptor_->write(text);
  size_ += text.size();
  return size_ - text.size();
}

void ScratchFile::copy_to(FileDescriptor& out, std::size_t first, std::size_t size) {
  std::vector<char> buffer(std::min(size, std::size_t{1} << 20));
  for (const std::size_t end = first + size; first < end;) {
    const ssize_t count = ::pread(descriptor_->get(), buffer.data(),
                                  std::min(buffer.size(), end - first), static_cast<off_t>(first));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(folder_, "read");
    out.write({buffer.data(), static_cast<std::size_t>(count)});
    first += static_cast<std::size_t>(count);
  }
}

void FilePart::write(std::string_view text) {
  waiting_ += text;
  constexpr std::size_t short_text = 1 << 16;
  if (waiting_.size() < short_text) return;
  pieces_.push_back({scratch_->append(waiting_), waiting_.size()});
  waiting_ = {};  // gives its memory back: there may be thousands of parts
}

void FilePart::copy_to(FileDescriptor& out) const {
  for (const Piece& piece : pieces_) scratch_->copy_to(out, piece.first, piece.size);
  out.write(waiting_);
}

WholeFile::WholeFile(const fs::path& file)
    : file_(file), temporary_(file.parent_path() / ("." + file.filename().string() + ".tmp")) {
  descriptor_ = std::make_unique<FileDescriptor>(temporary_, O_WRONLY | O_CREAT | O_TRUNC);
}

WholeFile::~WholeFile() {
  if (descriptor_) ::unlink(temporary_.c_str());
}

void WholeFile::commit() {
  descriptor_->sync();
  descriptor_->close();
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail(file_, "write");
  descriptor_.reset();
}

}  // namespace hydrolith
