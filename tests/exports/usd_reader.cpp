#include "usd_reader.h"

#include "output/files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace hydrolith::test {

namespace {

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  UsdPrim read() {
    if (!text_.starts_with("#usda 1.0\n")) fail("not a .usda file");
    at_ = 10;
    UsdPrim root;
    if (take('(')) root.metadata = read_metadata();
    while (!done()) root.children.push_back(read_prim());
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n') + 1;
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool done() {
    skip_space();
    return at_ == text_.size();
  }
  char next() {
    if (done()) fail("unexpected end");
    return text_[at_];
  }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void want(char c) {
    if (!take(c)) fail(std::string("expected ") + c);
  }
  std::string word() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == ':'))
      ++at_;
    if (at_ == start) fail("expected a word");
    return text_.substr(start, at_ - start);
  }
  std::string string() {
    want('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\') ++at_;
      out += text_[at_++];
    }
    want('"');
    return out;
  }
  void read_list(char close, UsdValue& value, bool count) {
    while (!take(close)) {
      read_into(value);
      if (count) ++value.items;
      if (!take(',')) {
        want(close);
        return;
      }
    }
  }
  void read_into(UsdValue& value) {
    const char c = next();
    if (c == '[') {
      ++at_;
      read_list(']', value, true);
    } else if (c == '(') {
      ++at_;
      read_list(')', value, false);
    } else if (c == '"') {
      value.text += string();
    } else if (c == '<') {
      const std::size_t end = text_.find('>', at_);
      if (end == std::string::npos) fail("a path without end");
      value.text = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') {
      double number = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      if (error != std::errc{}) fail("not a number");
      at_ = static_cast<std::size_t>(end - text_.data());
      value.numbers.push_back(number);
    } else {
      fail("not a value");
    }
  }
  UsdValue read_value() {
    UsdValue value;
    read_into(value);
    return value;
  }
  std::map<std::string, UsdValue> read_metadata() {
    std::map<std::string, UsdValue> metadata;
    while (!take(')')) {
      const std::string name = word();
      want('=');
      if (!metadata.emplace(name, read_value()).second) fail(name + " twice");
    }
    return metadata;
  }
  void read_samples(UsdAttribute& attribute) {
    want('{');
    while (!take('}')) {
      const UsdValue time = read_value();
      if (time.numbers.size() != 1) fail("not a time code");
      want(':');
      if (!attribute.samples.emplace(time.numbers[0], read_value()).second) fail("a time twice");
      if (!take(',')) {
        want('}');
        return;
      }
    }
  }
  void read_attribute(UsdPrim& prim, std::string first) {
    UsdAttribute declared;
    declared.uniform = first == "uniform";
    declared.type = declared.uniform ? word() : first;
    if (take('[')) {
      want(']');
      declared.type += "[]";
    }
    UsdAttribute& attribute = prim.attributes.emplace(word(), declared).first->second;
    if (attribute.type != declared.type) fail("declared again with another type");
    if (take('.')) {
      if (word() != "timeSamples") fail("expected timeSamples");
      want('=');
      read_samples(attribute);
    } else if (take('=')) {
      attribute.value = read_value();
    }
    if (take('(')) attribute.metadata = read_metadata();
  }
  UsdPrim read_prim() {
    UsdPrim prim;
    prim.specifier = word();
    if (prim.specifier != "def" && prim.specifier != "class") fail("expected def or class");
    if (next() != '"') prim.type = word();
    prim.name = string();
    if (take('(')) prim.metadata = read_metadata();
    want('{');
    while (!take('}')) {
      const std::size_t before = at_;
      const std::string first = word();
      if (first == "def" || first == "class") {
        at_ = before;
        prim.children.push_back(read_prim());
      } else {
        read_attribute(prim, first);
      }
    }
    return prim;
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

const UsdPrim& UsdPrim::child(const std::string& wanted) const {
  for (const UsdPrim& prim : children)
    if (prim.name == wanted) return prim;
  throw std::runtime_error(name + " has no child " + wanted);
}

const UsdAttribute& UsdPrim::attribute(const std::string& wanted) const {
  const auto found = attributes.find(wanted);
  if (found == attributes.end()) throw std::runtime_error(name + " has no attribute " + wanted);
  return found->second;
}

UsdPrim read_usda(const std::filesystem::path& file) { return Reader(read_file(file)).read(); }

}  // namespace hydrolith::test
