// SPDX-License-Identifier: BSD-3-Clause
#include "tool/run_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace daedalus::bench {
namespace {

constexpr const char* mark = "run";
constexpr std::size_t fields = 16;

std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::string to_line(const Run& r) {
  return fmt::format(
      "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.17g}\t{:.17g}\t{:.17g}\t{}\t{}\t{}\t{}\t{}", mark,
      plain(r.library), plain(r.solver), plain(r.asked), plain(r.formulation), r.ok ? 1 : 0,
      plain(r.status), plain(r.message), r.tol, r.seconds, r.mescd, r.accepted, r.rejected,
      r.evaluations, r.jacobians, r.factorisations);
}

std::optional<Run> from_line(const std::string& line) {
  std::vector<std::string> part(1);
  for (const char c : line)
    if (c == '\t')
      part.emplace_back();
    else
      part.back() += c;
  if (part.size() != fields || part[0] != mark) return std::nullopt;
  const auto real = [&](std::size_t i) { return std::strtod(part[i].c_str(), nullptr); };
  const auto whole = [&](std::size_t i) { return std::strtol(part[i].c_str(), nullptr, 10); };
  Run r;
  r.library = part[1];
  r.solver = part[2];
  r.asked = part[3];
  r.formulation = part[4];
  r.ok = part[5] == "1";
  r.status = part[6];
  r.message = part[7];
  r.tol = real(8);
  r.seconds = real(9);
  r.mescd = real(10);
  r.accepted = whole(11);
  r.rejected = whole(12);
  r.evaluations = whole(13);
  r.jacobians = whole(14);
  r.factorisations = whole(15);
  return r;
}

}  // namespace daedalus::bench
