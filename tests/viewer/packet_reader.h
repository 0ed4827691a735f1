#pragma once
// Reads what the page reads: the JSON of a packet as text, its arrays as numbers.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::test {

class PacketReader {
 public:
  explicit PacketReader(std::string bytes) : bytes_(std::move(bytes)) {
    REQUIRE(bytes_.size() >= 8);
    REQUIRE(bytes_.substr(0, 4) == "HYV1");
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + 4, 4);
    REQUIRE(8 + length <= bytes_.size());
    json_ = bytes_.substr(8, length);
    data_ = 8 + length;
    REQUIRE(data_ % 8 == 0);
  }

  const std::string& json() const { return json_; }
  std::size_t size() const { return bytes_.size(); }

  template <class T>
  std::vector<T> array(const std::string& name, std::string_view type) const {
    const std::string head = "\"" + name + "\":[\"" + std::string(type) + "\",";
    const std::size_t at = json_.find(head);
    REQUIRE_MESSAGE(at != std::string::npos, name, " in ", json_);
    char* end = nullptr;
    const std::size_t offset = std::strtoull(json_.data() + at + head.size(), &end, 10);
    const std::size_t count = std::strtoull(end + 1, nullptr, 10);
    REQUIRE(data_ + offset + count * sizeof(T) <= bytes_.size());
    REQUIRE((data_ + offset) % 8 == 0);  // typed arrays need it
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes_.data() + data_ + offset, count * sizeof(T));
    return values;
  }

 private:
  std::string bytes_, json_;
  std::size_t data_ = 0;
};

}  // namespace hydrolith::test
