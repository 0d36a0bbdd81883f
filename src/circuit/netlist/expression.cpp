// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/netlist/expression.hpp"

#include <fmt/format.h>

namespace daedalus::circuit {
namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '.'; }

// From the notation of netlists to that of formulas: numbers without suffixes, signals quoted.
class Respelling {
 public:
  Respelling(Files& files, const Statement& statement, Span own)
      : files_(files),
        statement_(statement),
        own_(own),
        in_(lower_case(std::string_view(statement.fragment.text()).substr(own.begin, own.length))) {
  }

  std::optional<Fragment> run() {
    while (k_ < in_.size()) {
      const char c = in_[k_];
      if ((c >= '0' && c <= '9') ||
          (c == '.' && k_ + 1 < in_.size() && in_[k_ + 1] >= '0' && in_[k_ + 1] <= '9')) {
        if (!number()) return std::nullopt;
      } else if (starts_name(c)) {
        word();
      } else {
        out_ += c;
        ++k_;
      }
    }
    return Fragment(std::move(out_), statement_.fragment.in_source(own_).begin, std::move(shifts_));
  }

 private:
  void replace(std::size_t end, const std::string& by) {
    out_ += by;
    // Unsigned on purpose: a longer spelling moves what follows back.
    if (by.size() != end - k_) shifts_.push_back({out_.size(), end - k_ - by.size()});
    k_ = end;
  }

  bool number() {
    std::size_t end = k_;
    const auto sign_of_exponent = [&] {
      return (in_[end] == '+' || in_[end] == '-') && in_[end - 1] == 'e' && end + 1 < in_.size() &&
             in_[end + 1] >= '0' && in_[end + 1] <= '9';
    };
    while (end < in_.size() && (continues_name(in_[end]) || (end > k_ && sign_of_exponent())))
      ++end;
    const NumberText text = read_number(std::string_view(in_).substr(k_, end - k_));
    if (!text.value) {
      files_.error(statement_.where({own_.begin + k_, end - k_}),
                   text.problem.empty() ? "this is no number" : text.problem, text.hint);
      return false;
    }
    replace(end, fmt::format("{:.17g}", *text.value));
    return true;
  }

  void word() {
    std::size_t end = k_;
    while (end < in_.size() && continues_name(in_[end])) ++end;
    const std::string name = in_.substr(k_, end - k_);
    std::size_t open = end;
    while (open < in_.size() && in_[open] == ' ') ++open;
    if ((name == "v" || name == "i") && open < in_.size() && in_[open] == '(') {
      const std::size_t close = in_.find(')', open);
      if (close != std::string::npos) {
        std::string signal = "'" + name;
        for (std::size_t k = open; k <= close; ++k)
          if (in_[k] != ' ' && in_[k] != '\t') signal += in_[k];
        replace(close + 1, signal + "'");
        return;
      }
    }
    replace(end, name);
  }

  Files& files_;
  const Statement& statement_;
  Span own_;
  std::string in_, out_;
  std::size_t k_ = 0;
  std::vector<Fragment::Shift> shifts_;
};

}  // namespace

std::shared_ptr<const Expression> read_expression(Files& files, const Statement& statement,
                                                  Span own) {
  auto fragment = Respelling(files, statement, own).run();
  if (!fragment) return nullptr;
  auto result = std::make_shared<Expression>();
  result->file = statement.file;
  result->fragment = std::move(*fragment);
  auto formula =
      model::parse(result->fragment, model::Want::expression, files.diagnostics(statement.file));
  if (!formula) return nullptr;
  result->formula = std::move(*formula);
  return result;
}

Value read_value(Files& files, const Statement& statement, const Word& word) {
  Value value;
  value.where = statement.where(word.span);
  if (word.kind == WordKind::expression) {
    value.expression = read_expression(files, statement, word.span);
    return value;
  }
  const std::string_view text =
      std::string_view(statement.fragment.text()).substr(word.span.begin, word.span.length);
  value.text = read_number(text);
  value.number = value.text.value;
  if (value.number) return value;
  if (!value.text.problem.empty())
    files.error(value.where, value.text.problem, value.text.hint);
  else
    files.error(value.where, fmt::format("'{}' is no number", text),
                fmt::format("an expression stands in braces: {{{}}}", text));
  return value;
}

}  // namespace daedalus::circuit
