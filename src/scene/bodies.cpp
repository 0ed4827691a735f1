// From the entries of `bodies` to bodies: groups are opened and repetitions written out. The entry
// is read once per copy with the indices bound, so any of its numbers may depend on them.

#include "scene/repeat.h"
#include "scene/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace hydrolith::schema {

namespace {

/// A name known in expressions until the end of the scope; it may hide an outer one.
class Binding {
 public:
  Binding(Reader& reader, const std::string& name, double value) : reader_(reader), name_(name) {
    const auto found = reader.names.find(name);
    if (found != reader.names.end()) hidden_ = found->second;
    reader.names[name] = value;
  }
  ~Binding() {
    if (hidden_)
      reader_.names[name_] = *hidden_;
    else
      reader_.names.erase(name_);
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  Reader& reader_;
  std::string name_;
  std::optional<double> hidden_;
};

class Expander {
 public:
  explicit Expander(Reader& reader) : reader_(reader) {}

  void read(const Node& node) {
    collect_names(node);
    entries(node, {});
  }

 private:
  // What is around an entry.
  struct Place {
    Pose frame;             // of the group it belongs to
    bool repeated = false;  // by a group around it
    int depth = 0;          // repetitions around it
  };
  struct Entry {  // a body as written, however many copies it has
    int object = 0;
    std::string name;
    int copies = 0;
  };

  void entries(const Node& list, const Place& place) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const auto step = reader_.enter(i);
      entry(list.items[i], place);
    }
  }

  void entry(const Node& node, const Place& place) {
    std::vector<const Node*> repeats;
    if (const Node* repeat = node.find("repeat")) {
      if (repeat->kind == Node::list)
        for (const Node& item : repeat->items) repeats.push_back(&item);
      else
        repeats.push_back(repeat);
    }
    repeat(node, place, repeats, 0, {});
  }

  // Level by level through the repetitions of an entry, then the entry itself. Stops after the
  // first copy with a fault: the others would have the same.
  bool repeat(const Node& node, const Place& place, const std::vector<const Node*>& repeats,
              std::size_t level, const Pose& offset) {
    const std::size_t before = reader_.faults();
    if (level == repeats.size()) {
      Place here = place;
      here.repeated = place.repeated || !repeats.empty();
      here.depth += static_cast<int>(level);
      if (node.kind == Node::map && node.find("group"))
        group(node, here, offset);
      else
        body(node, here, offset);
    } else {
      const auto part = read_repeat(*repeats[level], level, repeats.size());
      const int depth = place.depth + static_cast<int>(level);
      if (part && reader_.faults() == before && may_make(*repeats[level], *part))
        for (const Copy& copy : make_copies(*part, reader_.two_d())) {
          const auto bindings = bind(*part, copy, depth);
          if (!repeat(node, place, repeats, level + 1, offset * copy.pose)) break;
        }
    }
    if (reader_.faults() != before) reader_.bodies_incomplete = true;
    return reader_.faults() == before;
  }

  std::optional<RepeatPart> read_repeat(const Node& node, std::size_t level, std::size_t levels) {
    const auto in_repeat = reader_.enter("repeat");
    const std::size_t before = reader_.faults();
    RepeatPart part;
    if (levels > 1) {
      const auto in_list = reader_.enter(level);
      table<RepeatPart>().read(reader_, node, part);
    } else {
      table<RepeatPart>().read(reader_, node, part);
    }
    return reader_.faults() == before ? std::optional(part) : std::nullopt;
  }

  // Every copy at every level counts.
  bool may_make(const Node& node, const RepeatPart& part) {
    const std::int64_t count = count_copies(part), most = reader_.limits.copies;
    if (count <= most && made_ + count <= most) return made_ += count, true;
    const auto step = reader_.enter("repeat");
    reader_.fault(node, fmt::format("this makes more than {} copies in all", most));
    return false;
  }

  // Index names: given, or i, j, k, ... from the outside in; a grid has i_x, i_y, i_z too.
  std::vector<std::unique_ptr<Binding>> bind(const RepeatPart& part, const Copy& copy, int depth) {
    std::string name = index_name(part);
    if (name.empty()) name = std::string(1, static_cast<char>('i' + std::min(depth, 10)));
    std::vector<std::unique_ptr<Binding>> bindings;
    bindings.push_back(std::make_unique<Binding>(reader_, name, copy.index));
    for (std::size_t a = 0; a < 3 && is_array(part); ++a)
      bindings.push_back(std::make_unique<Binding>(reader_, name + "_" + "xyz"[a], copy.grid[a]));
    return bindings;
  }

  // Repetitions are laid out around `at`, along the axes of the frame; every copy is then rotated
  // by itself: x_frame = at + offset * rotate * x.
  static Pose placed(const Pose& frame, const Vec3& at, const Pose& offset, const Quat& rotate) {
    return frame * Pose{at, Quat::Identity()} * offset * Pose{Vec3::Zero(), rotate};
  }

  void group(const Node& node, const Place& place, const Pose& offset) {
    GroupPart part;
    table<GroupPart>().read(reader_, node, part);
    const Node& list = *node.find("group");
    const auto step = reader_.enter("group");
    if (list.kind == Node::scalar || list.kind == Node::map)
      return reader_.fault(list, fmt::format("expected a list of bodies, found {}", found(list)));
    Place inside = place;
    inside.frame = placed(place.frame, part.at, offset, part.rotate);
    entries(list, inside);
  }

  void body(const Node& node, const Place& place, const Pose& offset) {
    BodySpec spec;
    table<BodySpec>().read(reader_, node, spec);
    spec.pose = placed(place.frame, spec.pose.position, offset, spec.pose.orientation);
    Entry& entry = entry_of(node, spec);
    spec.object = entry.object;
    spec.name = place.repeated ? fmt::format("{}[{}]", entry.name, entry.copies) : entry.name;
    ++entry.copies;
    reader_.scene.bodies.push_back(std::move(spec));
  }

  Entry& entry_of(const Node& node, const BodySpec& spec) {
    const auto [found, is_new] = entries_.try_emplace(&node);
    Entry& entry = found->second;
    if (!is_new) return entry;
    entry.object = static_cast<int>(reader_.scene.body_objects.size());
    entry.name = spec.name.empty() ? default_name(spec.shape) : spec.name;
    reader_.scene.body_objects.push_back(entry.name);
    return entry;
  }

  // box1, box2, sphere1, ... leaving out names that are taken.
  std::string default_name(const Shape& shape) {
    const std::string& tag = table<Shape>().keys[shape.kind.index()].name;
    for (;;) {
      const std::string name = fmt::format("{}{}", tag, ++numbers_[tag]);
      if (names_.insert(name).second) return name;
    }
  }

  // All names the scene gives; one that comes twice is a fault.
  void collect_names(const Node& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Node& item = list.items[i];
      const auto step = reader_.enter(i);
      if (const Node* inner = item.find("group"); inner && inner->kind == Node::list) {
        const auto in_group = reader_.enter("group");
        collect_names(*inner);
      }
      const Node* name = item.find("name");
      if (!name || name->kind != Node::scalar || names_.insert(name->text).second) continue;
      const auto in_name = reader_.enter("name");
      reader_.fault(*name, fmt::format("the name \"{}\" is taken", shown(name->text)));
    }
  }

  Reader& reader_;
  std::unordered_map<const Node*, Entry> entries_;
  std::unordered_map<std::string, int> numbers_;
  std::unordered_set<std::string> names_;
  std::int64_t made_ = 0;
};

}  // namespace

void read_bodies(Reader& reader, const Node& node) {
  if (node.kind == Node::scalar || node.kind == Node::map)
    return reader.fault(node, fmt::format("expected a list of bodies, found {}", found(node)));
  Expander(reader).read(node);
}

}  // namespace hydrolith::schema
