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

bool Cursor::parameter(Assignment& result) {
  if (!is_assignment()) return false;
  const std::vector<Word>& w = *words_;
  const std::size_t first = at_ + 2;
  std::size_t last = first;
  while (last < w.size() && !(w[last].kind == WordKind::word && last + 1 < w.size() &&
                              w[last + 1].kind == WordKind::equals))
    ++last;
  if (last == first) return assignment(result);
  const std::size_t begin = w[first].span.begin,
                    end = w[last - 1].span.begin + w[last - 1].span.length;
  const std::string_view value =
      std::string_view(statement_->fragment.text()).substr(begin, end - begin);
  const bool begins_like_number =
      std::string_view("+-.0123456789").find(value[0]) != std::string_view::npos;
  const bool computes = value.find_first_of("*/^()+-?", 1) != std::string_view::npos;
  if (last == first + 1 && (w[first].kind != WordKind::word || read_number(value).value ||
                            (begins_like_number && !computes)))
    return assignment(result);
  result.where = where();
  result.written = std::string(text());
  result.name = lower();
  result.value = read_value(*files_, *statement_, {WordKind::expression, {begin, end - begin}});
  at_ = last;
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
