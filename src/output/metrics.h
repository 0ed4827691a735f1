#pragma once
// metrics.csv: one row a step, columns named in the first line.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hydrolith {

class FileDescriptor;

/// A table of numbers with named columns. NaN is an empty cell.
struct MetricsTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  /// Index of a column, or -1.
  int column(std::string_view name) const;
};

/// The beginning of a file that a run goes on with.
struct MetricsKept {
  std::size_t bytes = 0;  // whole rows
  std::uint32_t crc = 0;  // CRC-32 of them
  std::size_t rows = 0;
};

/// What can be kept of a file that was changed by others: whole rows from its first on, up to
/// `until` [s]; nothing if its columns are other ones or it cannot be read.
MetricsKept metrics_until(const std::filesystem::path& file,
                          const std::vector<std::string>& columns, double until);

/// The first so many bytes of a file, if they have this CRC-32.
std::optional<MetricsKept> metrics_unchanged(const std::filesystem::path& file, std::size_t bytes,
                                             std::uint32_t crc);

/// Writes a new CSV file row by row. Whole rows reach the file at least five times a second, and
/// all of them with flush() and at the end: a kill loses the last moments at most. Throws IoError.
class MetricsWriter {
 public:
  MetricsWriter(const std::filesystem::path& file, std::vector<std::string> columns);
  /// Goes on with a file after the rows it shall keep.
  MetricsWriter(const std::filesystem::path& file, const std::vector<std::string>& columns,
                const MetricsKept& kept);
  ~MetricsWriter();  // flushes; swallows errors: call flush() to see them
  MetricsWriter(MetricsWriter&&) noexcept;
  MetricsWriter& operator=(MetricsWriter&&) noexcept;
  /// Numbers are written so that reading gives the same bits.
  void write(const std::vector<double>& row);
  void flush();
  /// [bytes] in the file, and their CRC-32: after a flush, where the next row begins.
  std::size_t size() const { return size_; }
  std::uint32_t crc() const { return crc_; }

 private:
  std::size_t columns_;
  std::unique_ptr<FileDescriptor> file_;
  std::string waiting_;   // whole rows not yet in the file
  std::size_t size_ = 0;  // [bytes] in the file
  std::uint32_t crc_ = 0;
  std::chrono::steady_clock::time_point last_flush_;
};

/// A cell as CSV has it (RFC 4180): in quotes if it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view cell);

/// Reads what is whole: a last line cut short by a kill is left out. Throws IoError.
MetricsTable read_metrics(const std::filesystem::path& file);

/// Follows a file that is still being written: each update() reads only what is new.
class MetricsReader {
 public:
  explicit MetricsReader(std::filesystem::path file) : file_(std::move(file)) {}
  /// Adds the rows that became whole since the last call. If the file was cut or replaced, begins
  /// anew and counts a generation on. Throws IoError; what was read before stays.
  void update();
  const MetricsTable& table() const { return table_; }
  int generation() const { return generation_; }

 private:
  std::filesystem::path file_;
  MetricsTable table_;
  std::size_t read_ = 0;   // [bytes] of whole lines
  std::string last_line_;  // tells a file that grew from another one
  int generation_ = 0;
};

}  // namespace hydrolith
