#include "viewer/packet.h"

#include "viewer/json_text.h"

#include <bit>
#include <cstring>

namespace hydrolith {

static_assert(std::endian::native == std::endian::little);

void Packet::add_bytes(std::string_view name, std::string_view type, std::size_t count,
                       std::string_view bytes) {
  arrays_ += fmt::format("{}{}:[\"{}\",{},{}]", arrays_.empty() ? "" : ",", json_text(name), type,
                         data_.size(), count);
  data_ += bytes;
  data_.resize((data_.size() + 7) / 8 * 8);
}

std::string Packet::finish(std::string_view members) const {
  std::string json = fmt::format("{{{}{}\"arrays\":{{{}}}}}", members, members.empty() ? "" : ",",
                                 arrays_);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  const auto size = static_cast<std::uint32_t>(json.size());
  char head[8] = {'H', 'Y', 'V', '1'};
  std::memcpy(head + 4, &size, 4);
  std::string out;
  out.reserve(8 + json.size() + data_.size());
  out.append(head, 8).append(json).append(data_);
  return out;
}

}  // namespace hydrolith
