// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/netlist/lines.hpp"

#include <algorithm>

namespace daedalus::circuit {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Where the comment at the end of a line begins: ' ;' or ' $ ', also at its start.
std::size_t without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '\'') quote = quote ? 0 : c;
    if (quote) continue;
    const bool after_blank = k == 0 || is_blank(line[k - 1]);
    if (c == ';' && after_blank) return k;
    if (c == '$' && after_blank && (k + 1 == line.size() || is_blank(line[k + 1]))) return k;
  }
  return line.size();
}

struct PhysicalLine {
  std::size_t begin, end;  // without the line's end
};

class LineReader {
 public:
  LineReader(Files& files, int file) : files_(files), file_(file), text_(source().content()) {}

  Lines run(bool has_title) {
    std::size_t at = text_.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    bool first = has_title;
    while (at <= text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      PhysicalLine line{at, end};
      at = end + 1;
      if (first) {
        title(line);
        first = false;
        continue;
      }
      if (!take(line)) {
        after_end(at);
        break;
      }
    }
    flush();
    return std::move(lines_);
  }

 private:
  const model::Source& source() const { return files_.source(file_); }

  void title(PhysicalLine line) {
    std::size_t end = line.end;
    while (end > line.begin && is_blank(text_[end - 1])) --end;
    lines_.title = text_.substr(line.begin, end - line.begin);
    lines_.title_span = {line.begin, end - line.begin};
  }

  // false: .end
  bool take(PhysicalLine line) {
    while (line.begin < line.end && is_blank(text_[line.begin])) ++line.begin;
    std::string_view all(text_.data() + line.begin, line.end - line.begin);
    if (all.empty() || all[0] == '*') return true;
    all = all.substr(0, without_comment(all));
    while (!all.empty() && is_blank(all.back())) all.remove_suffix(1);
    if (all.empty()) return true;
    if (all[0] == '+' && open_) {
      append(line.begin + 1, all.substr(1));
    } else if (joins_) {
      append(line.begin, all);
    } else {
      flush();
      if (all.size() == 4 && lower_case(all) == ".end") return false;
      open_ = true;
      begin_ = line.begin;
      joined_.assign(all);
      last_ = line.begin + all.size();
    }
    joins_ = joined_.size() >= 2 && joined_.compare(joined_.size() - 2, 2, "\\\\") == 0;
    if (joins_) {
      joined_.resize(joined_.size() - 2);
      last_ -= 2;
    }
    return true;
  }

  void append(std::size_t from, std::string_view more) {
    joined_ += ' ';
    shifts_.push_back({joined_.size(), from - last_ - 1});
    joined_ += more;
    last_ = from + more.size();
  }

  void flush() {
    if (!open_) return;
    lines_.statements.push_back({file_, Fragment(std::move(joined_), begin_, std::move(shifts_))});
    joined_.clear();
    shifts_.clear();
    open_ = joins_ = false;
  }

  void after_end(std::size_t at) {
    for (std::size_t k = at; k < text_.size(); ++k)
      if (!is_blank(text_[k]) && text_[k] != '\n') {
        files_.warning({file_, {k, 1}}, "text after .end is ignored");
        return;
      }
  }

  Files& files_;
  int file_;
  const std::string& text_;
  Lines lines_;
  bool open_ = false, joins_ = false;
  std::size_t begin_ = 0, last_ = 0;
  std::string joined_;
  std::vector<Fragment::Shift> shifts_;
};

}  // namespace

Lines read_lines(Files& files, int file, bool has_title) {
  return LineReader(files, file).run(has_title);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::vector<Word> split(Files& files, const Statement& statement) {
  const std::string& text = statement.fragment.text();
  std::vector<Word> words;
  std::size_t k = 0;
  while (k < text.size()) {
    const char c = text[k];
    if (is_blank(c) || c == ',') {
      ++k;
    } else if (c == '(' || c == ')' || c == '=') {
      words.push_back({c == '('   ? WordKind::open
                       : c == ')' ? WordKind::close
                                  : WordKind::equals,
                       {k, 1}});
      ++k;
    } else if (c == '{' || c == '\'') {
      const std::size_t end = text.find(c == '{' ? '}' : '\'', k + 1);
      if (end == std::string::npos) {
        files.error(statement.where({k, 1}), "this expression is not closed",
                    c == '{' ? "'}' is missing" : "\"'\" is missing");
        return words;
      }
      words.push_back({WordKind::expression, {k + 1, end - k - 1}});
      k = end + 1;
    } else {
      const std::size_t begin = k;
      while (k < text.size() && !is_blank(text[k]) && text[k] != ',' && text[k] != '(' &&
             text[k] != ')' && text[k] != '=' && text[k] != '{' && text[k] != '\'')
        ++k;
      words.push_back({WordKind::word, {begin, k - begin}});
    }
  }
  return words;
}

}  // namespace daedalus::circuit
