#include "output/files.h"

#include "hydrolith/error.h"

#include "output/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

/// What a person can do about an error number; empty where nothing sensible can be said.
std::string advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return " Free some space or choose another folder with --output.";
    case EFBIG:
      return " The file is larger than this system allows.";
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
      return " Choose a folder that can be written with --output, or move the run to one.";
    default:
      return "";
  }
}

[[noreturn]] void fail(const fs::path& file, std::string_view verb, int error) {
  throw IoError(fmt::format("{}: cannot {}: {}.{}", file.string(), verb,
                            std::generic_category().message(error), advice(error)));
}

/// Makes a rename in this folder survive a power cut. Not every file system can; that is no error.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// The name a file has until it is whole: hidden, beside its final place.
fs::path temporary_name(const fs::path& file) {
  return file.parent_path() / ("." + file.filename().string() + ".tmp");
}

}  // namespace

FileDescriptor::FileDescriptor(const fs::path& file, int flags, const fs::path& known_as)
    : file_(known_as.empty() ? file : known_as) {
  do descriptor_ = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) fail(file_, flags & (O_WRONLY | O_RDWR) ? "write" : "read", errno);
}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileDescriptor::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(file_, "write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void FileDescriptor::truncate(std::size_t size) noexcept {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) == 0) ::lseek(descriptor_, 0, SEEK_END);
}

void FileDescriptor::sync() {
  // EINVAL: a pipe or device that has nothing to wait for.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(file_, "write", errno);
}

void FileDescriptor::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) fail(file_, "write", errno);
}

std::string read_file(const fs::path& file) {
  FileDescriptor in(file, O_RDONLY);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) fail(file, "read", errno);
  if (S_ISDIR(status.st_mode)) fail(file, "read", EISDIR);
  std::string bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(in.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(file, "read", errno);
    if (count == 0) break;  // somebody cut it while we read
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(folder, "create the folder", error.value());
  if (!fs::is_directory(folder)) fail(folder, "create the folder", ENOTDIR);
}

void write_file_atomically(const fs::path& file, std::string_view content) {
  const fs::path temporary = temporary_name(file);
  try {
    FileDescriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC, file);
    out.write(content);
    out.sync();
    out.close();
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "write", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

}  // namespace hydrolith
