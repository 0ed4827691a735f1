#pragma once
// Who has borrowed which column of an engine, and what to do before the engine changes it.

#include "hydrolith/column.h"

#include <memory>
#include <vector>

namespace hydrolith {

/// Lives shorter than the columns it lends.
class ColumnKeeper {
 public:
  ColumnKeeper() = default;
  ColumnKeeper(const ColumnKeeper&) = delete;
  ColumnKeeper& operator=(const ColumnKeeper&) = delete;
  /// The engine goes away: borrowers keep the memory.
  ~ColumnKeeper() {
    for (const auto& loan : loans_) loan->part(false);
  }

  template <class T>
  Column<T> lend(std::vector<T>& column) {
    for (const auto& loan : loans_)
      if (loan->column == &column)
        if (auto lent = static_cast<LoanOf<T>&>(*loan).lent.lock()) return Column<T>(lent);
    auto lent = std::make_shared<LentColumn<T>>(LentColumn<T>{column, {}});
    auto loan = std::make_unique<LoanOf<T>>();
    loan->column = &column;
    loan->lent = lent;
    std::erase_if(loans_, [](const auto& l) { return l->is_over(); });
    loans_.push_back(std::move(loan));
    return Column<T>(std::move(lent));
  }

  /// Before the engine changes its columns: it goes on with copies of those that are borrowed.
  void part() {
    for (const auto& loan : loans_) loan->part(true);
    loans_.clear();
  }

 private:
  struct Loan {
    virtual ~Loan() = default;
    virtual void part(bool with_copy) = 0;
    virtual bool is_over() const = 0;
    void* column = nullptr;
  };
  template <class T>
  struct LoanOf final : Loan {
    void part(bool with_copy) override {
      const auto borrower = lent.lock();
      if (!borrower) return;
      auto& own = *static_cast<std::vector<T>*>(this->column);
      std::vector<T> copy;
      if (with_copy) copy = own;
      borrower->memory = std::move(own);  // the values stay where they are
      own = std::move(copy);
    }
    bool is_over() const override { return lent.expired(); }
    std::weak_ptr<LentColumn<T>> lent;
  };
  std::vector<std::unique_ptr<Loan>> loans_;
};

}  // namespace hydrolith
