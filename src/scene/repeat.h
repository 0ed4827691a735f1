#pragma once
// Where the copies of a repetition stand.

#include "scene/tables.h"

namespace hydrolith::schema {

struct Copy {
  Pose pose;                            // relative to the entry's `at`
  int index = 0;                        // from 0
  std::array<int, 3> grid = {0, 0, 0};  // in an array: along x, y and z
};

/// Number of copies, without making them.
std::int64_t count_copies(const RepeatPart& repeat);
std::vector<Copy> make_copies(const RepeatPart& repeat, bool two_d);
/// The index name given in the scene, or "".
std::string index_name(const RepeatPart& repeat);
bool is_array(const RepeatPart& repeat);

}  // namespace hydrolith::schema
