#include "viewer/answer_cache.h"

#include <algorithm>

namespace hydrolith {

AnswerCache::AnswerCache(std::size_t capacity)
    : capacity_(capacity), worker_([this] { work(); }) {}

AnswerCache::~AnswerCache() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  woken_.notify_all();
  worker_.join();
}

AnswerCache::Answer AnswerCache::get(const std::string& name, const Make& make) {
  std::promise<Answer> promise;
  {
    std::unique_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found != entries_.end()) {
      order_.splice(order_.begin(), order_, found->second.place);
      const std::shared_future<Answer> answer = found->second.answer;
      lock.unlock();
      return answer.get();
    }
    order_.push_front(name);
    entries_[name] = {promise.get_future().share(), 0, order_.begin()};
  }
  try {
    const Answer answer = std::make_shared<const std::string>(make());
    promise.set_value(answer);
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(name);
    entry.bytes = std::max<std::size_t>(answer->size(), 1);
    size_ += entry.bytes;
    drop_oldest();
    return answer;
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::lock_guard lock(mutex_);
    order_.erase(entries_.at(name).place);
    entries_.erase(name);
    throw;
  }
}

void AnswerCache::drop_oldest() {
  for (auto place = order_.end(); size_ > capacity_ && place != order_.begin();) {
    --place;
    const auto entry = entries_.find(*place);
    if (entry->second.bytes == 0) continue;  // still being made
    size_ -= entry->second.bytes;
    entries_.erase(entry);
    place = order_.erase(place);
  }
}

void AnswerCache::prepare(std::vector<std::pair<std::string, Make>> answers) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(answers);
    std::reverse(waiting_.begin(), waiting_.end());
  }
  woken_.notify_one();
}

std::size_t AnswerCache::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

void AnswerCache::work() {
  for (;;) {
    std::pair<std::string, Make> next;
    {
      std::unique_lock lock(mutex_);
      woken_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      next = std::move(waiting_.back());
      waiting_.pop_back();
      if (entries_.count(next.first)) continue;
    }
    try {
      get(next.first, next.second);
    } catch (const std::exception&) {  // told to whoever asks for it
    }
  }
}

}  // namespace hydrolith
