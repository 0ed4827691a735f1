#pragma once
// What is known while a scene is being read: names, faults, and where we are.

#include "scene/node.h"
#include "scene/reader.h"

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::schema {

class Reader {
 public:
  Reader(std::string_view source, const std::filesystem::path& file,
         const std::vector<Override>& overrides);

  Scene scene;                          // what has been read so far, in the order of the table
  std::map<std::string, double> names;  // known in expressions: parameters, spacing, indices
  std::filesystem::path folder;         // asset paths are relative to it
  std::map<std::string, std::string> outside;  // paths that lead out of it -> absolute ones

  SceneLimits limits;
  bool sound = true;               // in a check: the values of the object had no faults
  bool bodies_incomplete = false;  // faults kept some bodies from being written out

  bool two_d() const { return scene.dimensions == 2; }

  // --- Where we are: "bodies[2].shape" ----------------------------------------------------------

  /// Goes one step down until the end of the scope.
  class Step {
   public:
    Step(Reader& reader, std::size_t length) : reader_(reader), length_(length) {}
    ~Step() { reader_.path_.resize(length_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Reader& reader_;
    std::size_t length_;
  };
  [[nodiscard]] Step enter(std::string_view key);
  [[nodiscard]] Step enter(std::size_t index);
  const std::string& path() const { return path_; }
  SourceMark mark(const Node& node) const { return {node.line, node.column, path_}; }

  // --- Faults -----------------------------------------------------------------------------------

  static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
  /// `offset`: the character inside a scalar where the fault is.
  void fault(const Node& at, const std::string& message, std::size_t offset = whole);
  /// A fault of one key of the mapping we are in, there or missing.
  void fault(const Node& map, std::string_view key, const std::string& message);
  void fault(const SourceMark& at, const std::string& message);
  void fault(const YamlFault& fault, int origin = -1);
  std::size_t faults() const { return count_; }
  /// So many faults that more would help nobody.
  bool full() const { return count_ >= max_faults; }

  /// Throws SceneError with all faults in the order of the file, each once, if there are any.
  void throw_faults();

 private:
  static constexpr std::size_t max_faults = 1000;
  void add(Diagnostic fault);
  std::string file_of(int origin) const;

  std::string_view source_;
  std::string file_;
  const std::vector<Override>& overrides_;
  std::string path_;
  std::vector<Diagnostic> faults_;  // the first max_faults
  std::size_t count_ = 0;
};

/// What a node is, for messages: `the text "abc"`, `a list of 3`.
std::string found(const Node& node);

/// Text from a file made fit for a message: short, one line, printable.
std::string shown(std::string_view text);

}  // namespace hydrolith::schema
