// SPDX-License-Identifier: BSD-3-Clause
#include "function/pattern.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "function/colouring.hpp"

namespace daedalus {
namespace {

// Directions of Dual4.
constexpr int lanes = 4;

// So few columns are asked for one by one: groups would save no evaluation worth their books.
constexpr int few = 16;

// Columns first .. first + count - 1, and the rows that react to at least one of them.
struct Group {
  int first = 0, count = 0;
  std::vector<int> rows;
};

// A part of a group: its rows are among those of the parent.
struct Part {
  int parent = 0, first = 0, count = 0;
};

class Search {
 public:
  Search(int rows, int cols, const Probe& probe)
      : rows_(rows), cols_(cols), probe_(probe), lane_(cols), hits_(rows) {}

  std::optional<SparsePattern> run() {
    if (rows_ == 0 || cols_ == 0) return assemble();
    if (cols_ <= few) return one_by_one();
    found_.resize(cols_);
    Group all{0, cols_, std::vector<int>(rows_)};
    for (int r = 0; r < rows_; ++r) all.rows[r] = r;
    std::vector<Group> groups{std::move(all)};
    // Each level halves the groups; the first one quarters, as four marks are free.
    int pieces = lanes;
    while (!groups.empty()) {
      const double before = candidates(groups);
      const long probes_before = probes_;
      if (!split(groups, pieces)) return std::nullopt;
      pieces = 2;
      // Halving that removes no candidates is lost work: in a full matrix it would double the
      // number of probes. Once it has cost 1/32 of a probe per column, single columns come next.
      if (candidates(groups) > 0.9 * before) wasted_ += probes_ - probes_before;
      if (32 * wasted_ > columns(groups)) pieces = cols_;
    }
    return assemble();
  }

 private:
  std::optional<SparsePattern> one_by_one() {
    SparsePattern p{rows_, cols_, {}, {}};
    p.start.reserve(cols_ + 1);
    p.row.reserve(static_cast<std::size_t>(rows_) * cols_);
    p.start.push_back(0);
    for (int first = 0; first < cols_; first += lanes) {
      const int count = std::min(lanes, cols_ - first);
      std::fill(lane_.begin(), lane_.end(), static_cast<signed char>(-1));
      std::fill(hits_.begin(), hits_.end(), static_cast<unsigned char>(0));
      for (int k = 0; k < count; ++k) lane_[first + k] = static_cast<signed char>(k);
      if (!probe_(lane_, hits_)) return std::nullopt;
      for (int k = 0; k < count; ++k) {
        for (int r = 0; r < rows_; ++r)
          if (hits_[r] & 1u << k) p.row.push_back(r);
        p.start.push_back(p.nonzeros());
      }
    }
    return p;
  }

  // Entries that the groups still allow; a measure of what is known.
  static double candidates(const std::vector<Group>& groups) {
    double sum = 0;
    for (const Group& g : groups) sum += static_cast<double>(g.count) * g.rows.size();
    return sum;
  }
  static long columns(const std::vector<Group>& groups) {
    long sum = 0;
    for (const Group& g : groups) sum += g.count;
    return sum;
  }

  // Replaces every group by its non-empty parts; single columns are finished and leave the list.
  bool split(std::vector<Group>& groups, int pieces) {
    const Colouring colouring = colour_columns(conflicts(groups));
    int most = 1;
    for (const Group& g : groups) most = std::max(most, std::min(pieces, g.count));
    // Parts of parents without a common row may carry the same mark.
    std::vector<std::vector<Part>> by_mark(static_cast<std::size_t>(colouring.colours) * most);
    for (std::size_t p = 0; p < groups.size(); ++p) {
      const Group& g = groups[p];
      const int parts = std::min(pieces, g.count);
      int first = g.first;
      for (int k = 0; k < parts; ++k) {
        const int count = g.count / parts + (k < g.count % parts ? 1 : 0);
        by_mark[static_cast<std::size_t>(colouring.colour[p]) * most + k].push_back(
            {static_cast<int>(p), first, count});
        first += count;
      }
    }
    std::erase_if(by_mark, [](const auto& parts) { return parts.empty(); });

    std::vector<Group> next;
    for (std::size_t mark = 0; mark < by_mark.size(); mark += lanes) {
      const std::size_t end = std::min(mark + lanes, by_mark.size());
      if (!ask(by_mark, mark, end)) return false;
      for (std::size_t m = mark; m < end; ++m)
        for (const Part& part : by_mark[m])
          keep(part, groups[part.parent].rows, 1u << (m - mark), next);
    }
    std::sort(next.begin(), next.end(),
              [](const Group& a, const Group& b) { return a.first < b.first; });
    groups = std::move(next);
    return true;
  }

  SparsePattern conflicts(const std::vector<Group>& groups) const {
    SparsePattern p{rows_, static_cast<int>(groups.size()), {0}, {}};
    for (const Group& g : groups) {
      p.row.insert(p.row.end(), g.rows.begin(), g.rows.end());
      p.start.push_back(p.nonzeros());
    }
    return p;
  }

  bool ask(const std::vector<std::vector<Part>>& by_mark, std::size_t begin, std::size_t end) {
    std::fill(lane_.begin(), lane_.end(), static_cast<signed char>(-1));
    std::fill(hits_.begin(), hits_.end(), static_cast<unsigned char>(0));
    for (std::size_t m = begin; m < end; ++m)
      for (const Part& part : by_mark[m])
        std::fill_n(lane_.begin() + part.first, part.count, static_cast<signed char>(m - begin));
    ++probes_;
    return probe_(lane_, hits_);
  }

  void keep(const Part& part, const std::vector<int>& parent_rows, unsigned bit,
            std::vector<Group>& next) {
    std::vector<int> rows;
    for (const int r : parent_rows)
      if (hits_[r] & bit) rows.push_back(r);
    if (rows.empty()) return;
    if (part.count == 1)
      found_[part.first] = std::move(rows);
    else
      next.push_back({part.first, part.count, std::move(rows)});
  }

  SparsePattern assemble() const {
    SparsePattern p{rows_, cols_, {0}, {}};
    p.start.reserve(cols_ + 1);
    if (found_.empty()) p.start.resize(cols_ + 1, 0);
    for (const auto& rows : found_) {
      p.row.insert(p.row.end(), rows.begin(), rows.end());
      p.start.push_back(p.nonzeros());
    }
    return p;
  }

  int rows_, cols_;
  const Probe& probe_;
  std::vector<signed char> lane_;
  std::vector<unsigned char> hits_;
  std::vector<std::vector<int>> found_;  // rows of each finished column
  long probes_ = 0, wasted_ = 0;
};

}  // namespace

std::optional<SparsePattern> detect_pattern(int rows, int cols, const Probe& probe) {
  return Search(rows, cols, probe).run();
}

}  // namespace daedalus
