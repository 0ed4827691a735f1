#pragma once
// Some objects of a run: exporters see a run that has no others. In two dimensions bodies, prisms
// of one metre along z, become about as thin as the liquid, so that they do not hide it.

#include "hydrolith/frame.h"

#include <string>
#include <vector>

namespace hydrolith {

class Selection {
 public:
  /// Names of liquids, body entries of the scene or single bodies ("brick[3]"); none = all. Throws
  /// Error with a suggestion for a name that the run does not have.
  Selection(const Objects& objects, const std::vector<std::string>& names, bool liquids);

  const Objects& objects() const { return objects_; }
  Frame frame(Frame all) const;

 private:
  Objects objects_;
  std::vector<std::size_t> liquids_, bodies_;  // indices in the run
};

}  // namespace hydrolith
