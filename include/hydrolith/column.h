#pragma once
// Columns of the state, lent without a copy.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hydrolith {

/// What lies behind a Column: the engine's own memory, or memory that the engine has left to it.
template <class T>
struct LentColumn {
  std::span<const T> values;
  std::vector<T> memory;  // empty while the engine still uses it
};

/// One quantity of all particles or bodies as it was when it was asked for. Nothing is copied when
/// it is made, and it never changes or dangles: a step that finds it alive leaves the memory to it
/// and goes on with a copy. So let go of columns before a step if you want no copies at all.
template <class T>
class Column {
 public:
  using value_type = T;
  Column() = default;
  explicit Column(std::shared_ptr<const LentColumn<T>> lent) : lent_(std::move(lent)) {}

  std::span<const T> values() const { return lent_ ? lent_->values : std::span<const T>(); }
  std::size_t size() const { return values().size(); }
  const T& operator[](std::size_t i) const { return values()[i]; }
  const T* data() const { return values().data(); }
  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }

 private:
  std::shared_ptr<const LentColumn<T>> lent_;
};

}  // namespace hydrolith
