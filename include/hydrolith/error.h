#pragma once
// Errors say where, what, and what next. Everything Hydrolith throws derives from Error.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hydrolith {

/// Anything that went wrong and that a person can act on. The message is complete by itself.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The world outside said no: unreadable file, full disk, unwritable folder.
struct IoError : Error {
  using Error::Error;
};

/// A mesh that cannot be used as asked (open, empty, unreadable).
struct MeshError : Error {
  using Error::Error;
};

/// One fault in a scene file.
struct Diagnostic {
  std::string file;     // as the user named it
  int line = 0;         // from 1; 0 = unknown
  int column = 0;       // from 1; 0 = unknown
  std::string path;     // e.g. "liquids[0].viscosity"
  std::string message;  // what is wrong and, where known, a suggestion

  /// "scenes/dam.yaml:14:5  liquids[0].viscosty: unknown key. Did you mean "viscosity"?"
  std::string text() const;
};

/// A scene with faults: all of them, in the order of the file.
struct SceneError : Error {
  explicit SceneError(std::vector<Diagnostic> all);
  std::vector<Diagnostic> diagnostics;
};

/// The simulation could not go on; what was finished is on disk.
struct SimulationError : Error {
  using Error::Error;
};

}  // namespace hydrolith
