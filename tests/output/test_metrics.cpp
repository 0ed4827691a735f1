// metrics.csv: numbers keep their bits, rows stay whole.

#include "hydrolith/error.h"

#include "fixtures.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace hydrolith::test {

namespace {

MetricsTable table_from(std::string_view text) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "m.csv") << text;
  return read_metrics(folder.path() / "m.csv");
}

std::string fault_in(std::string_view text) {
  return message_of<IoError>([&] { table_from(text); });
}

}  // namespace

TEST_CASE("numbers come back with the same bits, NaN as an empty cell") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.csv";
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> rows{{0.1, 1.0 / 3, -0.0},
                                        {1e-320, 1.7976931348623157e308, inf}};
  std::mt19937_64 random(5);
  while (rows.size() < 2'000) {
    std::vector<double> row(3);
    for (double& value : row) do {
        const std::uint64_t bits = random();
        std::memcpy(&value, &bits, sizeof value);
      } while (std::isnan(value));
    rows.push_back(row);
  }
  {
    MetricsWriter writer(file, {"time", "energy", "x"});
    for (const auto& row : rows) writer.write(row);
    writer.write({1, std::nan(""), 2});
  }
  const MetricsTable table = read_metrics(file);
  REQUIRE(table.rows.size() == rows.size() + 1);
  bool equal = true;
  for (std::size_t i = 0; i < rows.size(); ++i)
    equal = equal && std::memcmp(rows[i].data(), table.rows[i].data(), 3 * sizeof(double)) == 0;
  CHECK(equal);
  CHECK(std::isnan(table.rows.back()[1]));
  CHECK(read_file(file).ends_with("\n1,,2\n"));
}

TEST_CASE("names of columns with commas, quotes and line breaks survive") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.csv";
  const std::vector<std::string> names{"force, \"pier\"", "two\nlines", "größe", "plain"};
  MetricsWriter(file, names).write({1, 2, 3, 4});
  const MetricsTable table = read_metrics(file);
  CHECK(table.columns == names);
  CHECK(table.rows == std::vector<std::vector<double>>{{1, 2, 3, 4}});
  CHECK(table.column("größe") == 2);
  CHECK(table.column("nothing") == -1);
}

TEST_CASE("rows can be read while the run goes on") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.csv";
  MetricsWriter writer(file, {"time"});
  CHECK(read_metrics(file).rows.empty());
  writer.write({1});
  writer.flush();
  CHECK(read_metrics(file).rows.size() == 1);
}

TEST_CASE("a row of the wrong length is refused") {
  const TemporaryFolder folder;
  MetricsWriter writer(folder.path() / "metrics.csv", {"a", "b"});
  CHECK_THROWS_WITH_AS(writer.write({1}), "a row of 1 metrics for 2 columns", Error);
}

TEST_CASE("a last line cut short is left out") {
  CHECK(table_from("a,b\n1,2\n3,4\n5,").rows.size() == 2);
  CHECK(table_from("a,b\n1,2\n3,4\n5").rows.size() == 2);
  CHECK(table_from("a,b\r\n1,2\r\n").rows == std::vector<std::vector<double>>{{1, 2}});
}

TEST_CASE("a damaged table is refused with file and line") {
  CHECK(contains(fault_in(""), "m.csv: no line with the names of columns"));
  CHECK(contains(fault_in("a,b\n1,2\n3,four\n"), "m.csv:3: \"four\" is not a number"));
  CHECK(contains(fault_in("a,b\n1,2,3\n"), "m.csv:2: 3 cells, expected 2"));
}

TEST_CASE("a file that grows is read on, and one that was cut or replaced is read anew") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "m.csv";
  const auto append = [&](const char* text) { std::ofstream(file, std::ios::app) << text; };
  append("a,b\n1,2\n3,");
  MetricsReader reader(file);
  reader.update();
  CHECK(reader.table().rows.size() == 1);
  append("4\n5,6\n");
  reader.update();
  CHECK(reader.table().rows == std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}});
  CHECK(reader.generation() == 0);
  // A run that goes on from an earlier state cuts rows off and writes them again, here longer.
  write_file_atomically(file, "a,b\n1,2\n3,4.5\n50,60\n70,80\n");
  reader.update();
  CHECK(reader.generation() == 1);
  CHECK(reader.table().rows.size() == 4);
  CHECK(reader.table().rows[1][1] == 4.5);
}

TEST_CASE("a file is gone on with where it was left, or after the rows that are still whole") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "m.csv";
  const std::vector<std::string> columns{"time", "b"};
  std::size_t bytes = 0;
  std::uint32_t crc = 0;
  {
    MetricsWriter writer(file, columns);
    writer.write({0, 1});
    writer.write({1, 2});
    writer.flush();
    bytes = writer.size(), crc = writer.crc();
    writer.write({2, 3});
  }
  const std::string text = read_file(file);
  const auto kept = metrics_unchanged(file, bytes, crc);
  REQUIRE(kept);
  {
    MetricsWriter writer(file, columns, *kept);
    writer.write({2, 3});
    writer.flush();
    CHECK(metrics_unchanged(file, writer.size(), writer.crc()));
  }
  CHECK(read_file(file) == text);

  // Others have been at it.
  const auto until = [&](const std::string& changed) {
    write_file_atomically(file, changed);
    CHECK(!metrics_unchanged(file, bytes, crc));
    return metrics_until(file, columns, 1);
  };
  CHECK(until("time,b\n0,1\n1,7\n2,3\n").rows == 2);
  CHECK(until("time,b\n0,1\n1,7\n2,3\n").bytes == 15);
  CHECK(until("time,b\r\n0,1\r\n1,2\r\n").rows == 2);
  CHECK(until("time,b\n0,1\n1").rows == 1);
  CHECK(until("time,b\n0,1\nx,2\n1,2\n").rows == 1);
  CHECK(until("time,b\n0,1,5\n1,2\n").bytes == 7);
  CHECK(until("time,c\n0,1\n").bytes == 0);
  CHECK(until("").bytes == 0);
  fs::remove(file);
  CHECK(!metrics_unchanged(file, bytes, crc));
  CHECK(metrics_until(file, columns, 1).bytes == 0);
}

}  // namespace hydrolith::test
