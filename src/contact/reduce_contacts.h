#pragma once
// Fewer contacts that hold as well: of many between two bodies only those that matter are kept.

#include "contact/contacts.h"

namespace hydrolith {

/// Contacts of a pair are gathered by normal. Of those that share one (within about 8 degrees) the
/// closest is kept and the outermost in eight directions across it: a flat patch rests on its
/// corners, and any force within it can be made of forces there. Among equals the one that pushed in
/// the last step wins, so that contacts persist.
void reduce_contacts(Contacts& contacts);

}  // namespace hydrolith
