#pragma once
// Who writes a run: whoever does holds a lock on RUN/run.lock, which ends with its process however
// that ends.

#include <filesystem>
#include <memory>

namespace hydrolith {

class FileDescriptor;

class RunLock {
 public:
  /// Throws IoError if somebody else writes the run, or the file cannot be made.
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(RunLock&&) noexcept;

 private:
  std::unique_ptr<FileDescriptor> file_;
};

/// Whether somebody is writing the run at this moment.
bool is_being_written(const std::filesystem::path& run);

}  // namespace hydrolith
