#pragma once
// One chunk of a table as HDF5's own filters shuffle, deflate and fletcher32 would leave it, made
// with libdeflate: the same format, three times as fast.

#include <cstddef>
#include <string>
#include <string_view>

namespace hydrolith::h5 {

/// `values`: the whole chunk, elements of `element` bytes; `level` from 1 to 9.
std::string packed_chunk(std::string_view values, std::size_t element, int level);

}  // namespace hydrolith::h5
