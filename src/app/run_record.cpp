#include "app/run_record.h"

#include "hydrolith/error.h"

#include "output/checkpoint_file.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <type_traits>

namespace hydrolith {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "\n    " : ",\n    ") + quoted(text);
  return out.empty() ? "[]" : "[" + out + "\n  ]";
}

/// The keys of the file, in order, for reading and writing alike.
template <class Record, class Visit>
void visit(Record& r, Visit&& key) {
  key("scene", r.scene);
  key("scene_file", r.scene_file);
  key("hydrolith", r.version);
  key("instruction_set", r.instruction_set);
  key("threads", r.threads);
  key("state", r.state);
  key("message", r.message);
  key("colour_by", r.colour_by);
  key("duration", r.duration);
  key("time", r.time);
  key("steps", r.steps);
  key("frames", r.frames);
  key("wall", r.wall);
  key("warnings", r.warnings);
  key("history", r.history);
}

std::filesystem::path record_file(const std::filesystem::path& folder) {
  return folder / "run.json";
}

}  // namespace

void write_run_record(const std::filesystem::path& folder, const RunRecord& record) {
  std::string json = "{";
  visit(record, [&](const char* name, const auto& value) {
    json += fmt::format("{}\n  \"{}\": ", json.size() > 1 ? "," : "", name);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>)
      json += quoted(value);
    else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      json += list(value);
    else
      json += fmt::format("{}", value);
  });
  write_file_atomically(record_file(folder), json + "\n}\n");
}

RunRecord read_run_record(const std::filesystem::path& folder) {
  const std::string text = read_file(record_file(folder));
  RunRecord record;
  try {
    const YAML::Node json = YAML::Load(text);  // JSON is YAML
    visit(record, [&](const char* name, auto& value) {
      const std::string_view key = name;
      if ((key == "history" || key == "warnings") && !json[name]) return;  // older runs have none
      value = json[name].template as<std::decay_t<decltype(value)>>();
    });
  } catch (const YAML::Exception& e) {
    throw IoError(fmt::format("{}: not a run record ({})", record_file(folder).string(), e.what()));
  }
  return record;
}

bool holds_run(const std::filesystem::path& folder) {
  return std::filesystem::exists(record_file(folder)) || !list_frames(folder).empty() ||
         !list_checkpoints(folder).empty();
}

}  // namespace hydrolith
