#pragma once
// metrics.csv: one row a step, columns named in the first line.

#include <chrono>
#include <filesystem>
#include <memory>
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

/// Writes a new CSV file row by row. Whole rows reach the file at least five times a second, and
/// all of them with flush() and at the end: a kill loses the last moments at most. Throws IoError.
class MetricsWriter {
 public:
  MetricsWriter(const std::filesystem::path& file, std::vector<std::string> columns);
  /// Goes on with a file that has these columns, after its first `keep` bytes (whole rows).
  MetricsWriter(const std::filesystem::path& file, std::vector<std::string> columns,
                std::size_t keep);
  ~MetricsWriter();  // flushes; swallows errors: call flush() to see them
  MetricsWriter(MetricsWriter&&) noexcept;
  MetricsWriter& operator=(MetricsWriter&&) noexcept;
  /// Numbers are written so that reading gives the same bits.
  void write(const std::vector<double>& row);
  void flush();
  /// [bytes] in the file: after a flush, where the next row begins.
  std::size_t size() const { return size_; }

 private:
  std::size_t columns_;
  std::unique_ptr<FileDescriptor> file_;
  std::string waiting_;   // whole rows not yet in the file
  std::size_t size_ = 0;  // [bytes] in the file
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
