#include "hydrolith/error.h"

#include "commands.h"

#include <fmt/format.h>

#ifdef HYDROLITH_RENDER

#include "hydrolith/simulation.h"

#include "app/run_record.h"
#include "frames_choice.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "progress.h"
#include "render/render.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

RenderOptions options_of(const RenderChoices& c, const std::string& scene_colour) {
  RenderOptions o;
  const std::size_t x = c.size.find('x');
  if (x == std::string::npos)
    throw Error(fmt::format("--size: \"{}\" is not like 960x540", c.size));
  o.width = whole_number(c.size.substr(0, x), "--size");
  o.height = whole_number(c.size.substr(x + 1), "--size");
  if (o.width < 16 || o.height < 16 || o.width > 16384 || o.height > 16384)
    throw Error("--size: width and height must lie between 16 and 16384");
  const bool surface = c.liquid == "surface";
  const std::string colour = !c.colour_by.empty() ? c.colour_by : surface ? "body" : scene_colour;
  o.liquid = surface ? LiquidLook::surface : LiquidLook::particles;
  o.colour_by = colour == "pressure" ? ColourBy::pressure
                : colour == "body"   ? ColourBy::body
                                     : ColourBy::speed;
  if (c.samples > 0) o.samples = c.samples;
  if (c.range.size() == 2) {
    o.range_min = c.range[0];
    o.range_max = c.range[1];
  }
  if (c.camera.size() == 6)
    o.camera = Camera{Vec3(c.camera[0], c.camera[1], c.camera[2]),
                      Vec3(c.camera[3], c.camera[4], c.camera[5]), c.field_of_view};
  o.ground = !c.no_ground;
  o.legend = !c.no_legend;
  return o;
}

/// Up to nine frames spread over the run, from which camera and colours are chosen.
std::vector<Frame> some_frames(const RunReader& reader, const std::vector<std::int64_t>& all) {
  std::vector<Frame> frames;
  const std::size_t n = std::min<std::size_t>(9, all.size());
  for (std::size_t k = 0; k < n; ++k)
    frames.push_back(reader.read(all[n == 1 ? 0 : k * (all.size() - 1) / (n - 1)]));
  return frames;
}

/// All that the look of a picture depends on; pictures made with the same line need not be redone.
std::string look_of(const RenderChoices& c, const RenderOptions& o, const Stage& s) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", version(), o.width, o.height,
                     o.samples, static_cast<int>(o.colour_by), s.range_min, s.range_max,
                     s.ground_level, fmt::join(s.camera.from, ","), fmt::join(s.camera.to, ","),
                     s.camera.field_of_view, o.ground, !c.no_legend, c.liquid);
}

bool same_look(const fs::path& stamp, const std::string& look) {
  return fs::exists(stamp) && read_file(stamp) == look;
}

/// Runs a program without a shell; true if it ended well.
bool run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int stream : {0, 1, 2}) dup2(null, stream);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// Pictures are shown at the pace of the simulation.
bool make_film(const fs::path& folder, const fs::path& film, double rate) {
  const fs::path list = folder / "frame_*.png";
  const fs::path part = folder / "part.film.mp4";
  const bool made = run_program({"ffmpeg", "-y", "-framerate", fmt::format("{:.6g}", rate),
                                 "-pattern_type", "glob", "-i", list.string(), "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18",
                                 "-pix_fmt", "yuv420p", "-movflags", "+faststart", part.string()});
  std::error_code none;
  if (made) fs::rename(part, film, none);
  return made && !none;
}

}  // namespace

int render(const RenderChoices& c) {
  set_threads(c.threads);
  const RunReader reader(c.run);
  const std::vector<std::int64_t> all = frames_of(reader);
  const RenderOptions options = options_of(c, read_run_record(c.run).colour_by);
  const std::vector<std::int64_t> chosen = choose_frames(all, c.frames);
  const fs::path folder = c.output.empty() ? fs::path(c.run) / "pictures" : fs::path(c.output);
  make_folder(folder);

  const Stage stage = set_stage(reader.objects(), some_frames(reader, all), options);
  const fs::path stamp = folder / "look.txt";
  const std::string look = look_of(c, options, stage);
  const bool keep = !c.again && same_look(stamp, look);
  if (!keep) write_file_atomically(stamp, look);

  const Renderer renderer(reader.objects(), stage, options);
  ProgressLine line(c.quiet);
  const auto start = std::chrono::steady_clock::now();
  std::size_t made = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const fs::path png = folder / fmt::format("frame_{:06}.png", chosen[k]);
    if (keep && fs::exists(png)) continue;
    write_png(png, renderer.draw(reader.read(chosen[k])));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double each = wall.count() / static_cast<double>(++made);
    const double left = each * static_cast<double>(chosen.size() - k - 1);
    line.show(fmt::format("picture {} of {}, {:.2f} s each, {} left", k + 1, chosen.size(), each,
                          duration_text(left)),
              static_cast<double>(k + 1) / static_cast<double>(chosen.size()));
  }
  line.finish();
  if (!c.quiet)
    fmt::print("Pictures: {} ({} made, {} were there)\n", folder.string(), made,
               chosen.size() - made);
  const fs::path film = folder / "film.mp4";
  if (c.no_video || chosen.size() < 2 || (made == 0 && fs::exists(film))) return ok;
  const bool filmed = make_film(folder, film, frames_per_second(reader, chosen));
  if (!c.quiet)
    fmt::print("{}\n",
               filmed ? "Film: " + film.string() : "No film: ffmpeg is not installed, or failed");
  return ok;
}

}  // namespace hydrolith::command

#else

namespace hydrolith::command {

int render(const RenderChoices&) {
  throw Error("this build has no renderer: configure with -DHYDROLITH_RENDER=ON (needs Embree)");
}

}  // namespace hydrolith::command

#endif
