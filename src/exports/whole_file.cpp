#include "exports/whole_file.h"

#include "hydrolith/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

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

void FilePart::write(std::string_view text) {
  waiting_ += text;
  constexpr std::size_t short_text = 1 << 18;
  if (waiting_.size() > short_text) spill();
}

void FilePart::spill() {
  if (!descriptor_) {
    const fs::path file = part_name(folder_);
    descriptor_ = std::make_unique<FileDescriptor>(file, O_RDWR | O_CREAT | O_TRUNC);
    ::unlink(file.c_str());
  }
  descriptor_->write(waiting_);
  waiting_.clear();
}

void FilePart::copy_to(FileDescriptor& out) {
  std::vector<char> buffer(descriptor_ ? 1 << 20 : 0);
  for (off_t at = 0; descriptor_;) {
    const ssize_t count = ::pread(descriptor_->get(), buffer.data(), buffer.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(folder_, "read");
    if (count == 0) break;
    out.write({buffer.data(), static_cast<std::size_t>(count)});
    at += count;
  }
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
