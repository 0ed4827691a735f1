#pragma once
// The mark at the root of our HDF5 files: name of the format, its version, who wrote it.

#include "output/hdf5_file.h"

#include <string_view>

namespace hydrolith {

void write_format(const h5::Group& root, std::string_view format);
/// Fails with a clear message for a foreign file or another version.
void check_format(const h5::Group& root, std::string_view format);

}  // namespace hydrolith
