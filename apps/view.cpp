#include "hydrolith/error.h"

#include "commands.h"
#include "frames_choice.h"

#include <fmt/format.h>

#ifdef HYDROLITH_VIEWER

#include "interrupt.h"
#include "progress.h"
#include "viewer/html_export.h"
#include "viewer/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace hydrolith::command {

namespace {

/// Opens the page where there is a screen. A browser that will not start is no error: the address
/// is printed.
void open_browser(const std::string& address) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  if (fork() != 0) return;
  setsid();
  const int null = open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) dup2(null, stream);
  execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

int export_page(const RunView& run, const ViewChoices& c) {
  HtmlExportOptions options;
  options.max_particles = c.max_particles;
  options.max_frames = c.max_frames;
  if (!c.frames.empty()) options.frames = choose_frames(run.reader().frames(), c.frames);
  ProgressLine line(c.quiet);
  options.progress = [&](std::size_t done, std::size_t all) {
    line.show(fmt::format("frame {} of {}", done, all),
              static_cast<double>(done) / static_cast<double>(all));
  };
  const HtmlExportReport report = export_html(run, c.export_file, options);
  line.finish();
  if (!c.quiet)
    fmt::print("Page: {} ({:.1f} MB: {} frames, up to {} particles)\n", c.export_file,
               1e-6 * static_cast<double>(report.bytes), report.frames, report.particles);
  return ok;
}

}  // namespace

int view(const ViewChoices& c) {
  const RunView run(c.run);
  if (!c.export_file.empty()) return export_page(run, c);
  const std::atomic<bool>& stop = stop_on_interrupt();
  ViewServer server(run, {.host = c.host, .port = c.port});
  if (!c.quiet) fmt::print("Viewer: {}    Ctrl-C ends it\n", server.address());
  std::fflush(stdout);
  if (!c.no_open) open_browser(server.address());
  server.serve(stop);
  return ok;
}

}  // namespace hydrolith::command

#else

namespace hydrolith::command {

int view(const ViewChoices&) {
  throw Error(
      "this build has no viewer: install libcpp-httplib-dev and configure with "
      "-DHYDROLITH_VIEWER=ON");
}

}  // namespace hydrolith::command

#endif
