// Input that means no good: it ends in an Error, quickly, and never in a crash.

#include "hydrolith/error.h"

#include "scene/reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace hydrolith;

namespace {

std::string message(const std::string& yaml) {
  try {
    read_scene_text(yaml, "s.yaml");
  } catch (const SceneError& error) {
    return error.what();
  }
  return "no fault";
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("deep nesting is refused") {
  for (const int depth : {100, 1000, 100'000}) {
    CHECK(message("bodies: " + repeated("[", depth)).find("s.yaml:1:") == 0);
    CHECK(message(repeated("{a: ", depth)).find("s.yaml:1:") == 0);
  }
  CHECK(message("bodies: " + repeated("[", 70) + repeated("]", 70)).find("nested more than 64") !=
        std::string::npos);
  std::string blocks;
  for (int i = 0; i < 200; ++i) blocks += std::string(std::size_t(i), ' ') + "a:\n";
  CHECK(message(blocks).find("nested more than 64") != std::string::npos);
}

TEST_CASE("nested unions are read up to the limit of depth") {
  const std::string good =
      "bodies: [{shape: " + repeated("{union: [", 25) + "{sphere: 1}" + repeated("]}", 25) + "}]";
  CHECK(message(good) == "no fault");
}

TEST_CASE("a bomb of aliases is refused before it unfolds") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  CHECK(message(bomb).find("more than 1000000 values") != std::string::npos);
}

TEST_CASE("an anchor that refers to itself is refused") {
  CHECK(message("bodies: &a [*a]").find("s.yaml:1:13") == 0);
}

TEST_CASE("a billion copies are refused at once, at every level") {
  const std::string many = "{array: {count: 1000, step: [1, 0, 0]}}";
  CHECK(
      message("bodies: [{shape: {sphere: 1}, repeat: [" + many + ", " + many + ", " + many + "]}]")
          .find("more than 200000 copies") != std::string::npos);
  CHECK(message("bodies: [{group: [], repeat: [" + many + ", " + many + ", " + many + "]}]")
            .find("more than 200000 copies") != std::string::npos);
}

TEST_CASE("the number of copies can be limited further") {
  const std::string yaml =
      "bodies: [{shape: {sphere: 1}, repeat: {array: {count: 11, step: [1, 0, 0]}}}]";
  CHECK_NOTHROW(read_scene_text(yaml, "s.yaml", {}, {.copies = 11}));
  CHECK_THROWS_WITH_AS(read_scene_text(yaml, "s.yaml", {}, {.copies = 10}),
                       "s.yaml:1:39  bodies[0].repeat: this makes more than 10 copies in all",
                       SceneError);
}

TEST_CASE("of very many faults the first thousand are told") {
  std::string yaml;
  for (int i = 0; i < 20'000; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  const std::string text = message(yaml);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1000);
  CHECK(text.ends_with("these are the first 1000 faults"));
}

TEST_CASE("an endless line is shortened in messages") {
  const std::string text = message("duration: " + std::string(100'000, 'x'));
  CHECK(text.size() < 300);
}

TEST_CASE("complex keys, odd scalars and empty documents are faults like others") {
  CHECK(message("? [a, b]\n: 1\n").find("a key must be plain text") != std::string::npos);
  CHECK(message("~: 1") != "no fault");
  CHECK(message("---\n...\n") != "no fault");
  CHECK(message("!!binary abc") != "no fault");
  CHECK(message("%YAML 9.9\n---\nspacing: 1") != "a crash");
}

TEST_CASE("random bytes and random damage never crash the reader") {
  const std::string good =
      "parameters: {L: 20 cm}\nspacing: L/10\nliquids: [{shape: {box: [1, 1, 1]}}]\n"
      "bodies:\n  - {name: a, shape: {union: [{sphere: 1}]}, friction: {keyframes: [[0, 1]]},\n"
      "     repeat: {stack: {count: 3, step: [0, L, 0]}}}\n";
  std::mt19937 random(2024);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    const bool garbage = i % 10 == 0;
    if (garbage)
      for (char& c : text) c = static_cast<char>(random() % 256);
    else
      for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    CAPTURE(i);
    CHECK_NOTHROW(message(text));
  }
}
