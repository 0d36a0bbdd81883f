// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/netlist/netlist.hpp"

namespace daedalus::circuit {

bool Cursor::assignment(Assignment& result) {
  if (!is_assignment()) return false;
  result.where = where();
  result.written = std::string(text());
  result.name = lower();
  at_ += 2;
  if (done() || (now().kind != WordKind::word && now().kind != WordKind::expression)) {
    files_->error(result.where, result.written + " has no value");
    return true;
  }
  result.value = value();
  return true;
}

bool Cursor::signal(std::string& kind, std::vector<std::string>& arguments) {
  if (!is(WordKind::word) || at_ + 1 >= words_->size() || (*words_)[at_ + 1].kind != WordKind::open)
    return false;
  kind = lower();
  arguments.clear();
  at_ += 2;
  while (is(WordKind::word)) arguments.push_back(take_lower());
  if (is(WordKind::close)) ++at_;
  return true;
}

Span Cursor::rest() const {
  const std::size_t end = statement_->fragment.text().size();
  const std::size_t begin = done() ? end : now().span.begin;
  return {begin, end - begin};
}

}  // namespace daedalus::circuit
