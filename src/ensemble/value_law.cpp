// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <boost/math/distributions/weibull.hpp>

#include <fmt/format.h>

#include <daedalus/parameter_plan.hpp>

namespace daedalus {
namespace {

using Kind = ValueLaw::Kind;

struct LawName {
  Kind kind;
  std::string_view name, arguments;
  std::size_t count;
};
constexpr std::array law_names{LawName{Kind::uniform, "uniform", "FROM, TO", 2},
                               LawName{Kind::loguniform, "loguniform", "FROM, TO", 2},
                               LawName{Kind::triangular, "triangular", "FROM, MOST LIKELY, TO", 3},
                               LawName{Kind::normal, "normal", "MEAN, DEVIATION", 2},
                               LawName{Kind::lognormal, "lognormal", "MEDIAN, DEVIATION OF LOG", 2},
                               LawName{Kind::exponential, "exponential", "MEAN", 1},
                               LawName{Kind::weibull, "weibull", "SHAPE, SCALE", 2}};

std::string allowed_laws() {
  std::string text;
  for (const LawName& law : law_names)
    text += fmt::format("{}{}({})", text.empty() ? "" : ", ", law.name, law.arguments);
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// What a law may have; empty: it is one.
std::string wrong_values(const ValueLaw& law) {
  switch (law.kind) {
    case Kind::uniform:
      return law.a < law.b ? "" : "FROM must be less than TO";
    case Kind::loguniform:
      return 0.0 < law.a && law.a < law.b ? "" : "0 < FROM < TO must hold";
    case Kind::triangular:
      return law.a <= law.b && law.b <= law.c && law.a < law.c
                 ? ""
                 : "FROM <= MOST LIKELY <= TO must hold, and FROM < TO";
    case Kind::normal:
      return law.b > 0.0 ? "" : "the deviation must be positive";
    case Kind::lognormal:
      return law.a > 0.0 && law.b > 0.0 ? "" : "median and deviation must be positive";
    case Kind::exponential:
      return law.a > 0.0 ? "" : "the mean must be positive";
    case Kind::weibull:
      return law.a > 0.0 && law.b > 0.0 ? "" : "shape and scale must be positive";
  }
  return "it is not known";
}

}  // namespace

double ValueLaw::quantile(double probability) const {
  if (!(probability > 0.0 && probability < 1.0))
    throw InvalidArgument(fmt::format("a probability is between 0 and 1, not {}", probability));
  if (const std::string wrong = wrong_values(*this); !wrong.empty())
    throw InvalidArgument("the law of a parameter is none: " + wrong);
  const double p = probability;
  const auto normal = [p] { return boost::math::quantile(boost::math::normal(), p); };
  switch (kind) {
    case Kind::uniform:
      return a + p * (b - a);
    case Kind::loguniform:
      return a * std::pow(b / a, p);
    case Kind::triangular:
      return boost::math::quantile(boost::math::triangular(a, b, c), p);
    case Kind::normal:
      return a + b * normal();
    case Kind::lognormal:
      return a * std::exp(b * normal());
    case Kind::exponential:
      return boost::math::quantile(boost::math::exponential(1.0 / a), p);
    case Kind::weibull:
      return boost::math::quantile(boost::math::weibull(a, b), p);
  }
  return a;
}

ValueLaw value_law(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return InvalidArgument(fmt::format("'{}' is no law of a parameter: {}; allowed are {}", text,
                                       why, allowed_laws()));
  };
  const std::string_view whole = trimmed(text);
  const std::size_t open = whole.find('(');
  if (open == std::string_view::npos || !whole.ends_with(')'))
    throw refuse("it has no values in brackets");
  const std::string_view name = trimmed(whole.substr(0, open));
  const auto* const found = std::find_if(law_names.begin(), law_names.end(),
                                         [&](const LawName& law) { return law.name == name; });
  if (found == law_names.end()) throw refuse(fmt::format("'{}' is not known", name));
  std::array<double, 3> values{};
  std::size_t count = 0;
  std::string_view rest = whole.substr(open + 1, whole.size() - open - 2);
  for (bool more = true; more; ++count) {
    const std::size_t comma = rest.find(',');
    const std::string_view value = trimmed(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    double read = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
    if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(read))
      throw refuse(fmt::format("'{}' is no number", value));
    if (count < values.size()) values[count] = read;
  }
  if (count != found->count)
    throw refuse(fmt::format("{} has {} value{}, and {} given", name, found->count,
                             found->count == 1 ? "" : "s",
                             count == 1 ? "1 is" : fmt::format("{} are", count)));
  const ValueLaw law{found->kind, values[0], values[1], values[2]};
  if (const std::string wrong = wrong_values(law); !wrong.empty()) throw refuse(wrong);
  return law;
}

}  // namespace daedalus
