#pragma once
// metrics.csv: one row a step, columns named in the first line.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// A table of numbers with named columns. NaN is an empty cell.
struct MetricsTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  /// Index of a column, or -1.
  int column(std::string_view name) const;
};

/// Appends rows to a CSV file; each row is flushed whole. Throws IoError.
class MetricsWriter {
 public:
  MetricsWriter(const std::filesystem::path& file, std::vector<std::string> columns);
  void write(const std::vector<double>& row);
  void flush();

 private:
  std::filesystem::path file_;
  std::vector<std::string> columns_;
  std::ofstream stream_;
};

MetricsTable read_metrics(const std::filesystem::path& file);

}  // namespace hydrolith
