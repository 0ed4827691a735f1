#include "hydrolith/error.h"

#include "../output/fixtures.h"
#include "output/files.h"
#include "viewer/html_export.h"

#include <zlib.h>

#include <array>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

void write_run(const fs::path& folder, std::int64_t frames, std::size_t particles) {
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  for (std::int64_t i = 0; i < frames; ++i) {
    Frame frame = sample_frame(objects, i, particles);
    for (LiquidFrame& liquid : frame.liquids)
      for (std::size_t p = 0; p < particles; ++p) liquid.id[p] = static_cast<std::uint32_t>(p);
    writer.write(std::move(frame));
  }
  writer.finish();
}

std::string decoded(const std::string& base64) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("what is embedded comes back, whatever its length") {
  for (std::size_t size : {0, 1, 2, 3, 4, 1000}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37);
    const std::string packed = decoded(embedded(bytes));
    std::array<char, 2000> out{};
    uLongf length = out.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())) == Z_OK);
    CHECK(std::string(out.data(), length) == bytes);
  }
}

TEST_CASE("an export is thinned to what was asked for, and the same every time") {
  const TemporaryFolder folder;
  write_run(folder, 9, 400);
  const RunView run(folder);
  HtmlExportOptions options;
  options.max_particles = 200;
  options.max_frames = 4;
  const fs::path file = folder.path() / "a.html", again = folder.path() / "b.html";
  const HtmlExportReport report = export_html(run, file, options);
  export_html(run, again, options);
  CHECK(read_file(file) == read_file(again));
  CHECK(report.frames == 4);
  CHECK(report.bytes == fs::file_size(file));
  // 800 particles, each with a chance of 1/4: 200 on average, 5 standard deviations (12) around it.
  CHECK(report.particles > 140);
  CHECK(report.particles < 260);
  const std::string html = read_file(file);
  CHECK(contains(html, "\"times\":[[0,0],[2,"));  // evenly, first and last included
  CHECK(contains(html, ",[8,"));
  CHECK(contains(html, "\"part\":0.25"));
}

TEST_CASE("an export asks for nothing from anywhere") {
  const TemporaryFolder folder;
  write_run(folder, 1, 10);
  export_html(RunView(folder), folder.path() / "a.html", {});
  const std::string html = read_file(folder.path() / "a.html");
  for (const char* loading : {"<script src", "<link rel=\"stylesheet", "@import", "url(http"})
    CHECK(occurrences(html, loading) == 0);
  CHECK(occurrences(html, "id=\"run\"") == 1);
}

TEST_CASE("only the frames asked for are exported, and none at all is an error") {
  const TemporaryFolder folder;
  write_run(folder, 5, 10);
  HtmlExportOptions options;
  options.frames = {1, 3};
  CHECK(export_html(RunView(folder), folder.path() / "a.html", options).frames == 2);
  options.frames = {77};
  CHECK(contains(message_of<Error>([&] {
                   export_html(RunView(folder), folder.path() / "a.html", options);
                 }),
                 "no whole frame"));
  CHECK_THROWS_AS(export_html(RunView(folder), folder.path() / "none/a.html", {}), IoError);
}
