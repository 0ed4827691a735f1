#pragma once
// The commands behind `hydrolith ...`. Each takes its options, prints for people and returns an
// exit code; errors are thrown and reported in one place (main.cpp).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::command {

/// Documented in README.md and `hydrolith --help`.
enum ExitCode : int {
  ok = 0,
  expectation_failed = 1,
  bad_usage = 2,
  bad_scene = 3,
  io_failed = 4,
  simulation_failed = 5,
  interrupted = 130,
};

struct SceneChoice {
  std::string scene;                   // a file, or the name of a gallery scene
  std::vector<std::string> overrides;  // path=value
};

struct RunChoices {
  SceneChoice scene;
  std::string output;  // "" = runs/NAME, numbered if taken
  int threads = 0;
  bool quiet = false, verify = false;
};

struct ResumeChoices {
  std::string run;
  std::vector<std::string> overrides;  // path=value
  int threads = 0;
  bool quiet = false, verify = false, anew = false;
};

struct InfoChoices {
  std::string run;
  bool quick = false, json = false;
};

struct CompareChoices {
  SceneChoice scene;
  std::vector<std::string> vary;  // path=value,value
  std::string output;             // "" = compare/NAME, numbered if taken
  int threads = 0;
  double max_void = 0.2, max_overlap = 0.5;
  std::optional<double> max_speed, max_energy_gain;
  bool allow_retries = false;
  bool search = false;
  std::string search_range;  // "" = the default, "0.02ms:20ms"
  double resolution = 1.41421356237;
  bool quiet = false;
};

struct RenderChoices {
  std::string run;
  std::string output;  // "" = RUN/pictures
  std::string size = "960x540";
  std::string colour_by;  // "" = the scene's
  std::string liquid = "particles";
  std::string frames;          // "", "last", "12", "0:50", "0:50:5"
  std::vector<double> range;   // min max
  std::vector<double> camera;  // from xyz to xyz
  double field_of_view = 35;
  int samples = 0;  // 0 = the default
  int threads = 0;
  bool no_video = false, no_ground = false, no_legend = false, again = false, quiet = false;
};

struct ViewChoices {
  std::string run;
  std::string host = "127.0.0.1";
  int port = 0;  // 0 = the usual one, or any that is free
  bool no_open = false;
  std::string export_file;  // "" = serve
  std::size_t max_particles = 15000, max_frames = 100;
  std::string frames;  // of the export: "", "last", "12", "0:50", "0:50:5"
  bool quiet = false;
};

struct ExportChoices {
  std::string run;
  std::string format;
  std::string output;                             // "" = RUN/FORMAT
  std::string frames;                             // as for pictures
  std::vector<std::string> objects;               // none = all
  std::string liquid;                             // "" = the format's default
  std::optional<double> cell, radius, smoothing;  // [spacings] of surfaces and volumes
  std::optional<int> compression;                 // none = the format's default
  int threads = 0;
  bool quiet = false;
};

int run(const RunChoices& choices);
int resume(const ResumeChoices& choices);
int compare(const CompareChoices& choices);
int check(const SceneChoice& choice, bool quiet);
int schema(const std::string& format);
int info(const InfoChoices& choices);
int render(const RenderChoices& choices);
int view(const ViewChoices& choices);
int export_run(const ExportChoices& choices);
/// The formats, one a line.
std::string export_help();
int gallery();

/// The file of a scene: as given, or a gallery scene by its name. Throws Error with suggestions.
std::filesystem::path find_scene(const std::string& name);
/// Folder of the built-in scenes. Throws Error if there is none.
std::filesystem::path gallery_folder();

}  // namespace hydrolith::command
