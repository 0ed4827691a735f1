#pragma once
// The viewer's page, built from web/ (`make web`) and carried in the program.

#include <string_view>

namespace hydrolith {

/// One HTML file with all its scripts and styles.
std::string_view viewer_page();

}  // namespace hydrolith
