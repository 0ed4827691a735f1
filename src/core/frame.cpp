#include "hydrolith/frame.h"

namespace hydrolith {

std::string_view name_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::dynamic:
      return "dynamic";
    case BodyKind::fixed:
      return "static";
    case BodyKind::kinematic:
      return "kinematic";
  }
  return "dynamic";
}

}  // namespace hydrolith
