#pragma once
// The mark at the root of our HDF5 files: name of the format, its version, who wrote it.

#include "output/hdf5_file.h"

#include <cstdint>
#include <string_view>

namespace hydrolith {

/// Readers refuse any other `version` of the format.
void write_format(const h5::Group& root, std::string_view format, std::int64_t version = 1);
/// Fails with a clear message for a foreign file or another version.
void check_format(const h5::Group& root, std::string_view format, std::int64_t version = 1);

}  // namespace hydrolith
