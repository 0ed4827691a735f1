#pragma once
// Answers kept for the next who asks, and made ahead by a thread of its own.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hydrolith {

class AnswerCache {
 public:
  using Answer = std::shared_ptr<const std::string>;
  using Make = std::function<std::string()>;

  explicit AnswerCache(std::size_t capacity);  // [bytes]
  ~AnswerCache();
  AnswerCache(const AnswerCache&) = delete;
  AnswerCache& operator=(const AnswerCache&) = delete;

  /// The answer of this name, made once however many ask at the same time. What `make` throws is
  /// thrown to all of them and not kept.
  Answer get(const std::string& name, const Make& make);

  /// Makes these in the background, in this order, instead of what was still to be made.
  void prepare(std::vector<std::pair<std::string, Make>> answers);

  std::size_t size() const;  // [bytes] kept

 private:
  struct Entry {
    std::shared_future<Answer> answer;
    std::size_t bytes = 0;  // 0: still being made
    std::list<std::string>::iterator place;
  };
  void drop_oldest();
  void work();

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::list<std::string> order_;  // the one used last stands first
  std::size_t size_ = 0;
  std::vector<std::pair<std::string, Make>> waiting_;  // the next one stands last
  std::condition_variable woken_;
  bool ending_ = false;
  std::thread worker_;
};

}  // namespace hydrolith
