#include "output/metrics.h"

#include "core/check.h"
#include "output/deflate.h"
#include "output/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds flush_interval(200);

/// The cells of the row that begins at `at`, which moves behind its line break. False: no whole
/// row.
bool next_row(std::string_view text, std::size_t& at, std::vector<std::string>& cells) {
  cells.assign(1, {});
  bool inside = false;  // quotes
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cells.back() += text[++i];
    else if (c == '"')
      inside = !inside;
    else if (!inside && c == ',')
      cells.emplace_back();
    else if (!inside && c == '\n') {
      at = i + 1;
      return true;
    } else if (inside || c != '\r')
      cells.back() += c;
  }
  return false;
}

double number(const std::string& cell, const fs::path& file, std::size_t line) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw IoError(fmt::format("{}:{}: \"{}\" is not a number", file.string(), line, cell));
  return value;
}

std::vector<double> numbers(const std::vector<std::string>& cells, const MetricsTable& table,
                            const fs::path& file) {
  const std::size_t line = table.rows.size() + 2;
  if (cells.size() != table.columns.size())
    throw IoError(fmt::format("{}:{}: {} cells, expected {}", file.string(), line, cells.size(),
                              table.columns.size()));
  std::vector<double> row;
  for (const std::string& cell : cells) row.push_back(number(cell, file, line));
  return row;
}

/// Up to `count` bytes from this place on; fewer at the end of the file.
std::string read_bytes(const FileDescriptor& in, const fs::path& file, std::size_t from,
                       std::size_t count) {
  constexpr std::size_t most = 1 << 20;
  std::string bytes;
  while (bytes.size() < count) {
    const std::size_t old = bytes.size();
    bytes.resize(old + std::min(most, count - old));
    const ssize_t got =
        ::pread(in.get(), bytes.data() + old, bytes.size() - old, static_cast<off_t>(from + old));
    bytes.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw IoError(fmt::format("{}: cannot read: {}.", file.string(),
                                std::generic_category().message(errno)));
    if (got == 0) break;
  }
  return bytes;
}

}  // namespace

std::string csv_cell(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

int MetricsTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

MetricsWriter::MetricsWriter(const fs::path& file, std::vector<std::string> columns)
    : columns_(columns.size()),
      file_(std::make_unique<FileDescriptor>(file, O_WRONLY | O_CREAT | O_TRUNC)) {
  require(columns_ > 0, "{}: metrics without columns", file.string());
  for (const std::string& name : columns) waiting_ += csv_cell(name) + ',';
  waiting_.back() = '\n';
  flush();
}

MetricsWriter::MetricsWriter(const fs::path& file, const std::vector<std::string>& columns,
                             const MetricsKept& kept)
    : columns_(columns.size()),
      file_(std::make_unique<FileDescriptor>(file, O_WRONLY | O_APPEND)),
      size_(kept.bytes),
      crc_(kept.crc) {
  file_->truncate(kept.bytes);
}

MetricsWriter::MetricsWriter(MetricsWriter&&) noexcept = default;
MetricsWriter& MetricsWriter::operator=(MetricsWriter&&) noexcept = default;

MetricsWriter::~MetricsWriter() {
  try {
    if (file_) flush();
  } catch (const IoError&) {
  }
}

void MetricsWriter::write(const std::vector<double>& row) {
  require(row.size() == columns_, "a row of {} metrics for {} columns", row.size(), columns_);
  for (const double value : row) {
    if (!std::isnan(value)) fmt::format_to(std::back_inserter(waiting_), "{}", value);
    waiting_ += ',';
  }
  waiting_.back() = '\n';
  if (std::chrono::steady_clock::now() - last_flush_ >= flush_interval) flush();
}

void MetricsWriter::flush() {
  last_flush_ = std::chrono::steady_clock::now();
  const std::string rows = std::exchange(waiting_, {});
  try {
    file_->write(rows);
    size_ += rows.size();
    crc_ = crc32_of(rows, crc_);
  } catch (...) {
    file_->truncate(size_);  // whole rows stay, half a row does not
    throw;
  }
}

MetricsKept metrics_until(const fs::path& file, const std::vector<std::string>& columns,
                          double until) {
  MetricsKept kept;
  if (!fs::exists(file)) return kept;
  const std::string text = read_file(file);
  const auto time = std::find(columns.begin(), columns.end(), "time") - columns.begin();
  std::size_t at = 0;
  std::vector<std::string> cells;
  if (!next_row(text, at, cells) || cells != columns) return kept;
  for (kept.bytes = at; next_row(text, at, cells); kept.bytes = at, ++kept.rows) {
    MetricsTable so_far{columns, {}};
    try {
      if (numbers(cells, so_far, file).at(static_cast<std::size_t>(time)) > until) break;
    } catch (const Error&) {
      break;  // from here on it is not ours
    }
  }
  kept.crc = crc32_of(std::string_view(text).substr(0, kept.bytes));
  return kept;
}

std::optional<MetricsKept> metrics_unchanged(const fs::path& file, std::size_t bytes,
                                             std::uint32_t crc) {
  if (!fs::exists(file)) return std::nullopt;
  const std::string text = read_file(file);
  if (text.size() < bytes || crc32_of(std::string_view(text).substr(0, bytes)) != crc)
    return std::nullopt;
  return MetricsKept{.bytes = bytes, .crc = crc};
}

MetricsTable read_metrics(const fs::path& file) {
  MetricsReader reader(file);
  reader.update();
  if (reader.table().columns.empty())
    throw IoError(fmt::format("{}: no line with the names of columns", file.string()));
  return reader.table();
}

void MetricsReader::update() {
  const FileDescriptor in(file_, O_RDONLY);
  if (read_bytes(in, file_, read_ - last_line_.size(), last_line_.size()) != last_line_) {
    table_ = {};
    read_ = 0;
    last_line_.clear();
    ++generation_;
  }
  const std::string text = read_bytes(in, file_, read_, std::numeric_limits<std::size_t>::max());
  std::vector<std::string> cells;
  for (std::size_t at = 0, begin = 0; next_row(text, at, cells); begin = at) {
    if (table_.columns.empty())
      table_.columns = cells;
    else
      table_.rows.push_back(numbers(cells, table_, file_));
    last_line_ = text.substr(begin, at - begin);
    read_ += last_line_.size();
  }
}

}  // namespace hydrolith
