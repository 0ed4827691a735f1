#include "viewer/answer_cache.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

using namespace hydrolith;

namespace {

/// Waits for something another thread does; false if it never happens.
template <class Condition>
bool happens(Condition&& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace

TEST_CASE("an answer many ask for at once is made once") {
  AnswerCache cache(1000);
  std::atomic<int> made = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      const auto answer = cache.get("a", [&] {
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return std::string("answer");
      });
      CHECK(*answer == "answer");
    });
  for (std::thread& t : clients) t.join();
  CHECK(made == 1);
}

TEST_CASE("the answer used longest ago goes first when room is short") {
  AnswerCache cache(250);
  int made = 0;
  const auto ask = [&](const char* name) {
    return cache.get(name, [&] {
      ++made;
      return std::string(100, 'x');
    });
  };
  ask("a");
  ask("b");
  ask("a");
  ask("c");  // b goes
  CHECK(cache.size() == 200);
  CHECK(made == 3);
  ask("a");
  ask("c");
  CHECK(made == 3);
  ask("b");
  CHECK(made == 4);
}

TEST_CASE("a failure is told and not kept") {
  AnswerCache cache(1000);
  const auto fail = []() -> std::string { throw std::runtime_error("torn"); };
  CHECK_THROWS_WITH(cache.get("a", fail), "torn");
  CHECK(*cache.get("a", [] { return std::string("whole"); }) == "whole");
}

TEST_CASE("answers are made ahead, and a failure there does no harm") {
  AnswerCache cache(1000);
  std::atomic<int> made = 0;
  cache.prepare({{"bad", []() -> std::string { throw std::runtime_error("torn"); }},
                 {"a", [&] {
                    ++made;
                    return std::string("ahead");
                  }}});
  CHECK(happens([&] { return cache.size() == 5; }));
  CHECK(*cache.get("a", [] { return std::string("late"); }) == "ahead");
  CHECK(made == 1);
}
