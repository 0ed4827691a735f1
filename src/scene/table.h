#pragma once
// The machinery of the table of keys. A key is bound to a struct member by a member pointer, so
// that type and default cannot disagree with the struct:
//
//   key("radius", &SphereShape::radius).unit("m").positive().says("Radius.")
//
// Reading, validation, JSON Schema and the scene reference all come from the same KeyInfo.

#include "core/time_function.h"
#include "scene/context.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hydrolith::schema {

/// How a value is written. Several ways can fill the same C++ type.
enum class Type {
  number,  // 2, "2*L + 3 cm"
  integer,
  flag,  // true, false
  text,
  name,              // letters, digits, _ and -
  choice,            // one of a few words
  file,              // relative to the scene, must exist
  reference,         // the name of something defined elsewhere
  vector,            // [x, y, z]
  size,              // like vector; in 2D the depth is 1
  direction,         // like vector, of any length but 0
  turning,           // like vector; in 2D a number: about z
  gravity,           // vector, or a number: downwards
  scale,             // number or vector
  counts,            // whole number or three of them
  rotation,          // {axis, angle}, a list of those, {quaternion}, in 2D a number
  colour,            // [r, g, b], "#rrggbb" or a name
  function,          // number, expression in t, or {keyframes}
  vector_function,   // three of them, or {keyframes} of vectors
  turning_function,  // like vector_function; in 2D a number: about z
  surface,           // expression in x and z
  field,             // vector of expressions in x, y and z
  object,            // a mapping with keys of its own
};

enum class Many { one, list, map };  // list or mapping of such values
enum class Refers { nothing, material, liquid, body };

struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool lo_open = false, hi_open = false;  // the bound itself is not allowed

  bool contains(double x) const {
    return (lo_open ? x > lo : x >= lo) && (hi_open ? x < hi : x <= hi);
  }
  bool bounded() const { return lo > -unlimited || hi < unlimited; }
  std::string text() const;  // "greater than 0"
};

struct ObjectInfo;

/// Everything there is to know about a key, for people and for editors.
struct KeyInfo {
  std::string name = {};
  Type type = Type::object;
  Many many = Many::one;
  std::string unit = {};
  Range range = {};
  std::vector<std::string> choices = {};
  Refers refers = Refers::nothing;
  bool required = false;
  std::string sentence = {};
  std::string default_json = {};               // from the struct; "" = none
  std::string default_note = {};               // in words, where there is no value: "unlimited"
  const ObjectInfo& (*object)() = nullptr;     // Type::object
  const ObjectInfo& (*or_object)() = nullptr;  // another kind of mapping that may stand there
  bool or_single = false;                      // a list of one may be written without brackets
};

/// A mapping with a fixed set of keys.
struct ObjectInfo {
  std::string name = {};
  std::string sentence = {};
  std::string example = {};              // YAML; the tests read it
  std::vector<KeyInfo> keys = {};        // in the order in which they are read
  int shorthand = -1;                    // the key that is meant if no mapping is written
  std::vector<std::string> one_of = {};  // exactly one of these must be there

  std::vector<std::string> key_names() const;
};

// --- Values by C++ type (values.h, and below for containers and objects) ------------------------

template <class T>
struct Object;

/// The table of a struct. Every struct that is read by keys specialises it (tables.h).
template <class T>
const Object<T>& table();

template <class E>
struct EnumNames;  // specialised: static constexpr std::pair<std::string_view, E> names[]

template <class T>
struct Described {  // a struct with a table
  static constexpr Type type = std::is_enum_v<T> ? Type::choice : Type::object;
  static constexpr Many many = Many::one;
};
template <>
struct Described<double> {
  static constexpr Type type = Type::number;
  static constexpr Many many = Many::one;
};
template <>
struct Described<int> {
  static constexpr Type type = Type::integer;
  static constexpr Many many = Many::one;
};
template <>
struct Described<bool> {
  static constexpr Type type = Type::flag;
  static constexpr Many many = Many::one;
};
template <>
struct Described<std::string> {
  static constexpr Type type = Type::text;
  static constexpr Many many = Many::one;
};
template <>
struct Described<Vec3> {
  static constexpr Type type = Type::vector;
  static constexpr Many many = Many::one;
};
template <>
struct Described<Quat> {
  static constexpr Type type = Type::rotation;
  static constexpr Many many = Many::one;
};
template <>
struct Described<Expression> {
  static constexpr Type type = Type::surface;
  static constexpr Many many = Many::one;
};
template <>
struct Described<TimeFunction> {
  static constexpr Type type = Type::function;
  static constexpr Many many = Many::one;
};
template <>
struct Described<VectorFunction> {
  static constexpr Type type = Type::vector_function;
  static constexpr Many many = Many::one;
};
template <>
struct Described<SpaceFunction> {
  static constexpr Type type = Type::field;
  static constexpr Many many = Many::one;
};
template <>
struct Described<std::array<int, 3>> {
  static constexpr Type type = Type::counts;
  static constexpr Many many = Many::one;
};
template <class T>
struct Described<std::optional<T>> : Described<T> {};
template <class T>
struct Described<std::vector<T>> : Described<T> {
  static constexpr Many many = Many::list;
};
template <class T>
struct Described<std::map<std::string, T>> : Described<T> {
  static constexpr Many many = Many::map;
};

template <class T>
struct Element {
  using type = T;
};
template <class T>
struct Element<std::optional<T>> : Element<T> {};
template <class T>
struct Element<std::vector<T>> : Element<T> {};
template <class T>
struct Element<std::map<std::string, T>> : Element<T> {};

// --- One key bound to a struct ------------------------------------------------------------------

template <class T>
struct Field {
  KeyInfo info;
  std::function<void(Reader&, const Node&, const KeyInfo&, T&)> read;
  std::function<std::string(const KeyInfo&)> show_default;
  bool is_shorthand = false;

  Field unit(std::string u) { return info.unit = std::move(u), std::move(*this); }
  Field positive() { return info.range.lo = 0, info.range.lo_open = true, std::move(*this); }
  Field at_least(double lo) { return info.range.lo = lo, std::move(*this); }
  Field between(double lo, double hi) { return info.range = {lo, hi}, std::move(*this); }
  Field below(double hi) { return info.range.hi = hi, info.range.hi_open = true, std::move(*this); }
  Field as(Type type) { return info.type = type, std::move(*this); }
  Field among(std::vector<std::string> words) {
    return info.choices = std::move(words), as(Type::choice);
  }
  Field refers_to(Refers what) { return info.refers = what, as(Type::reference); }
  template <class U>
  Field or_a() {
    return info.or_object = []() -> const ObjectInfo& { return table<U>(); }, std::move(*this);
  }
  Field or_single() { return info.or_single = true, std::move(*this); }
  Field required() { return info.required = true, std::move(*this); }
  Field shorthand() { return is_shorthand = true, std::move(*this); }
  Field otherwise(std::string note) {
    return info.default_note = std::move(note), std::move(*this);
  }
  Field says(std::string s) { return info.sentence = std::move(s), std::move(*this); }
};

template <class V>
KeyInfo describe_key(std::string name) {
  using E = typename Element<V>::type;
  KeyInfo info;
  info.name = std::move(name);
  info.type = Described<V>::type;
  info.many = Described<V>::many;
  if constexpr (std::is_enum_v<E>)
    for (const auto& [word, value] : EnumNames<E>::names) info.choices.emplace_back(word);
  if constexpr (Described<V>::type == Type::object)
    info.object = []() -> const ObjectInfo& { return table<E>(); };
  return info;
}

/// A key that fills a member.
template <class T, class V>
Field<T> key(std::string name, V T::*member) {
  return {describe_key<V>(std::move(name)),
          [member](Reader& r, const Node& n, const KeyInfo& k, T& object) {
            read_value(r, n, k, object.*member);
          },
          [member](const KeyInfo& k) { return show_value(k, T{}.*member); }};
}

/// A key whose value is put into place by a function (and, for its default, got back by another).
template <class T, class V>
Field<T> key(std::string name, void (*put)(T&, const V&), V (*get)(const T&) = nullptr) {
  return {describe_key<V>(std::move(name)),
          [put](Reader& r, const Node& n, const KeyInfo& k, T& object) {
            V value{};
            read_value(r, n, k, value);
            put(object, value);
          },
          [get](const KeyInfo& k) { return get ? show_value(k, get(T{})) : std::string(); }};
}

/// A key with keys of its own that fill members of the same struct.
template <auto object>
auto part(std::string name) {
  using T = typename std::remove_cvref_t<decltype(object())>::Struct;
  Field<T> field;
  field.info.name = std::move(name);
  field.info.object = []() -> const ObjectInfo& { return object(); };
  field.read = [](Reader& r, const Node& n, const KeyInfo&, T& o) { object().read(r, n, o); };
  return field;
}

/// A key that a function reads by itself; V says how it is written.
template <class V, class T>
Field<T> read_by(std::string name, void (*read)(Reader&, const Node&, T&)) {
  return {describe_key<V>(std::move(name)),
          [read](Reader& r, const Node& n, const KeyInfo&, T& object) { read(r, n, object); },
          nullptr};
}

// --- A struct with its keys ---------------------------------------------------------------------

/// Reports unknown keys; false if the node is not a mapping (and has been dealt with).
bool begin_object(Reader& reader, const Node& node, const ObjectInfo& object);

template <class T>
struct Object : ObjectInfo {
  using Struct = T;
  using Check = void (*)(Reader&, const Node&, T&);
  std::vector<Field<T>> fields;
  Check check = nullptr;  // what no single key can say

  Object(ObjectInfo head, std::vector<Field<T>> f, Check c = nullptr)
      : ObjectInfo(std::move(head)), fields(std::move(f)), check(c) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      KeyInfo& info = fields[i].info;
      const bool shown = !info.required && info.default_note.empty();
      if (fields[i].show_default && shown) info.default_json = fields[i].show_default(info);
      if (fields[i].is_shorthand) shorthand = static_cast<int>(i);
      keys.push_back(info);
    }
  }

  void read(Reader& reader, const Node& node, T& object) const {
    const std::size_t before = reader.faults();
    if constexpr (requires { object.mark; }) object.mark = reader.mark(node);
    if (node.kind != Node::map && shorthand >= 0) {
      const Field<T>& field = fields[static_cast<std::size_t>(shorthand)];
      field.read(reader, node, field.info, object);
    } else {
      if (!begin_object(reader, node, *this)) return;
      for (const Field<T>& field : fields) {
        const Node* value = node.find(field.info.name);
        if (!value) continue;
        const auto step = reader.enter(field.info.name);
        field.read(reader, *value, field.info, object);
      }
    }
    reader.sound = reader.faults() == before;
    if (check) check(reader, node, object);
  }
};

}  // namespace hydrolith::schema
