#pragma once

#include "hydrolith/error.h"

namespace hydrolith {

/// What the page asks for does not exist (yet).
struct NotFound : Error {
  using Error::Error;
};

}  // namespace hydrolith
