// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

// Of one-sided ones, at the edge of what a problem accepts: eps^(1/2).
constexpr double one_sided = 1.5e-8;

std::string all_names(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

int place_in(const std::vector<Parameter>& list, const std::string& name) {
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const Parameter& p) { return p.name == name; });
  return it == list.end() ? -1 : static_cast<int>(it - list.begin());
}

std::array<Eigen::Index, 5> sizes_of(const Problem& problem) {
  struct {
    using Sizes = std::array<Eigen::Index, 5>;
    Sizes operator()(const ImplicitProblem& p) const { return {0, p.y0.size(), p.leading_count}; }
    Sizes operator()(const MassMatrixProblem& p) const { return {1, p.y0.size()}; }
    Sizes operator()(const SemiExplicitProblem& p) const { return {2, p.y0.size(), p.z0.size()}; }
    Sizes operator()(const MultibodyProblem& p) const {
      return {3, p.space.points(), p.velocities(), p.multipliers(),
              p.dynamic_count + p.contact_count};
    }
  } visitor;
  return std::visit(visitor, problem);
}

Problem built(const ParameterFamily& family, std::span<const AskedParameter* const> moved,
              double AskedParameter::*value) {
  std::vector<double> values;
  for (const Parameter& p : family.parameters) values.push_back(p.value);
  for (const AskedParameter* a : moved) values[static_cast<std::size_t>(a->member)] = a->*value;
  Problem built = family.problem(values);
  apply_start(built);
  return built;
}

std::shared_ptr<const Problem> with_value(const Problem& problem, const ParameterFamily* family,
                                          AskedParameter a, double value) {
  if (family && a.member >= 0) {
    a.upper = value;
    const AskedParameter* const moved[] = {&a};
    return std::make_shared<const Problem>(built(*family, moved, &AskedParameter::upper));
  }
  Problem changed = problem;
  set_parameter(changed, a.name, value);
  return std::make_shared<const Problem>(std::move(changed));
}

bool starts_by_parameters(const Problem& problem) {
  return std::visit([](const auto& p) { return static_cast<bool>(p.start); }, problem);
}

bool same(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || (a - b).norm() == 0.0);
}

// Neither start values nor constant matrices differ.
bool begins_alike(const Problem& a, const Problem& b) {
  return std::visit(
      [&](const auto& p) {
        using P = std::decay_t<decltype(p)>;
        const P& q = std::get<P>(b);
        const auto equal = [](const Eigen::VectorXd& u, const Eigen::VectorXd& v) {
          return u.size() == v.size() && (u.array() == v.array()).all();
        };
        if constexpr (std::is_same_v<P, MultibodyProblem>)
          return equal(p.q0, q.q0) && equal(p.v0, q.v0) && equal(p.c0, q.c0) && equal(p.s0, q.s0) &&
                 same(p.mass_matrix, q.mass_matrix);
        else if constexpr (std::is_same_v<P, ImplicitProblem>)
          return equal(p.y0, q.y0) && equal(p.yp0, q.yp0);
        else if constexpr (std::is_same_v<P, SemiExplicitProblem>)
          return equal(p.y0, q.y0) && equal(p.z0, q.z0);
        else
          return equal(p.y0, q.y0) && same(p.mass_matrix, q.mass_matrix);
      },
      a);
}

// Parameters that callables get with their arguments and that move nothing else: many are tried
// at once, halves of them where something moves. They need no problems for values nearby.
void find_inputs_only(const Problem& problem, const ParameterFamily& family,
                      std::span<const AskedParameter* const> list,
                      std::set<const AskedParameter*>& found) {
  if (list.empty()) return;
  try {
    const Problem moved = built(family, list, &AskedParameter::upper);
    if (sizes_of(moved) == sizes_of(problem) && begins_alike(problem, moved)) {
      found.insert(list.begin(), list.end());
      return;
    }
  } catch (const InvalidArgument&) {  // at the edge of what the problem accepts
  }
  if (list.size() == 1) return;
  find_inputs_only(problem, family, list.first(list.size() / 2), found);
  find_inputs_only(problem, family, list.subspan(list.size() / 2), found);
}

// Null: not allowed there.
std::shared_ptr<const Problem> tried(const Problem& problem, const ParameterFamily* family,
                                     const AskedParameter& a, double value) {
  try {
    auto built = with_value(problem, family, a, value);
    return sizes_of(*built) == sizes_of(problem) ? built : nullptr;
  } catch (const InvalidArgument&) {
    return nullptr;
  }
}

void look_nearby(const Problem& problem, const ParameterFamily* family, AskedParameter& a) {
  // Any value of a parameter that callables get with their arguments makes a problem of the same
  // sizes and start values: copies of it, which name all parameters, are made if they are needed.
  if (a.input >= 0 && a.member < 0 && !starts_by_parameters(problem)) return;
  const double size = std::max(std::abs(a.value), a.typical);
  a.plus = tried(problem, family, a, a.upper);
  a.minus = tried(problem, family, a, a.lower);
  if (a.plus && a.minus) return;
  const bool up = a.plus != nullptr;
  auto& other = up ? a.minus : a.plus;
  (up ? a.lower : a.upper) = a.value;
  other = tried(problem, family, a, a.value);
  (up ? a.upper : a.lower) = a.value + (up ? one_sided : -one_sided) * size;
  (up ? a.plus : a.minus) = tried(problem, family, a, up ? a.upper : a.lower);
  if (!a.plus || !a.minus || std::floor(a.value) == a.value)
    throw InvalidArgument(fmt::format(
        "sensitivities: '{}' is a size, not a number one can differentiate by", a.name));
}

void add_parameters(const Problem& problem, const SensitivityOptions& options, Asked& asked) {
  const std::vector<Parameter>& inputs = inputs_of(problem);
  const ParameterFamily* const family = options.family.get();
  std::vector<std::string> known;
  for (const Parameter& p : inputs) known.push_back(p.name);
  if (family)
    for (const Parameter& p : family->parameters)
      if (place_in(inputs, p.name) < 0) known.push_back(p.name);
  const bool all = options.parameters.size() == 1 && options.parameters[0] == "*";
  std::set<std::string> seen;
  std::vector<AskedParameter> wanted;
  for (const std::string& name : all ? known : options.parameters) {
    if (!seen.insert(name).second)
      throw InvalidArgument(fmt::format("sensitivities: parameter '{}' is given twice", name));
    AskedParameter a;
    a.name = name;
    a.input = place_in(inputs, name);
    a.member = family ? place_in(family->parameters, name) : -1;
    if (a.input < 0 && a.member < 0)
      throw InvalidArgument(
          fmt::format("sensitivities: there is no parameter '{}'.{} There are: {}", name,
                      suggestion(name, known), all_names(known)));
    const Parameter& p = a.input >= 0 ? inputs[static_cast<std::size_t>(a.input)]
                                      : family->parameters[static_cast<std::size_t>(a.member)];
    a.value = p.value;
    a.typical = p.typical > 0.0 ? p.typical : p.value != 0.0 ? std::abs(p.value) : 1.0;
    const double size = std::max(std::abs(a.value), a.typical);
    a.upper = a.value + central_increment * size;
    a.lower = a.value - central_increment * size;
    wanted.push_back(std::move(a));
  }
  std::vector<const AskedParameter*> inputs_of_members;
  for (const AskedParameter& a : wanted)
    if (a.input >= 0 && a.member >= 0) inputs_of_members.push_back(&a);
  std::set<const AskedParameter*> inputs_only;
  if (family && !starts_by_parameters(problem))
    find_inputs_only(problem, *family, inputs_of_members, inputs_only);
  for (AskedParameter& a : wanted) {
    if (!inputs_only.contains(&a)) try {
        look_nearby(problem, family, a);
      } catch (const InvalidArgument&) {
        if (all) continue;  // "*" means all that one can differentiate by
        throw;
      }
    asked.parameters.push_back(std::move(a));
  }
}

void add_start(const std::string& name, const Layout& layout, Asked& asked) {
  const std::vector<std::string>& names = layout.names();
  const auto add = [&](int i) {
    AskedStart s;
    s.name = names[static_cast<std::size_t>(i)];
    s.tangent = i;
    for (const AskedStart& other : asked.start_values)
      if (other.tangent == i)
        throw InvalidArgument(fmt::format("sensitivities: start value '{}' is given twice", name));
    asked.start_values.push_back(s);
  };
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return add(static_cast<int>(it - names.begin()));
  for (const LayoutBlock& b : layout.blocks())
    if (to_string(b.cls) == name) {
      for (int i = 0; i < b.space.tangents(); ++i) add(b.tangent + i);
      return;
    }
  throw InvalidArgument(fmt::format("sensitivities: there is no variable '{}'.{} There are: {}",
                                    name, suggestion(name, names), all_names(names)));
}

}  // namespace

Eigen::VectorXd given_start(const Problem& problem) {
  struct {
    Eigen::VectorXd operator()(const ImplicitProblem& p) const { return p.y0; }
    Eigen::VectorXd operator()(const MassMatrixProblem& p) const { return p.y0; }
    Eigen::VectorXd operator()(const SemiExplicitProblem& p) const {
      Eigen::VectorXd y(p.y0.size() + p.z0.size());
      y << p.y0, p.z0;
      return y;
    }
    Eigen::VectorXd operator()(const MultibodyProblem&) const { return {}; }
  } visitor;
  return std::visit(visitor, problem);
}

Eigen::MatrixXd Asked::combined(const Eigen::MatrixXd& by_base) const {
  if (directions.size() == 0) {
    if (by_base.cols() == base()) return by_base;
    Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(by_base.rows(), base());
    wide.leftCols(by_base.cols()) = by_base;
    return wide;
  }
  return by_base * directions.topRows(by_base.cols());
}

Asked resolve(const Problem& problem, const SensitivityOptions& options, const System& model) {
  Asked asked;
  add_parameters(problem, options, asked);
  const Layout layout = model.model_layout();
  for (const std::string& name : options.start_values) add_start(name, layout, asked);
  asked.directions = options.directions;
  if (asked.directions.size() > 0 && asked.directions.rows() != asked.base())
    throw InvalidArgument(fmt::format(
        "sensitivities.directions: it has {} rows; give {}, one per parameter and start value",
        asked.directions.rows(), asked.base()));
  if (asked.base() == 0)
    throw InvalidArgument("sensitivities: the problem has no parameter to differentiate by");
  return asked;
}

std::vector<SensitivityColumn> described(const Asked& asked, bool differentiable) {
  using Kind = SensitivityColumn::Kind;
  std::vector<SensitivityColumn> columns;
  if (asked.directions.size() > 0) {
    for (int j = 0; j < asked.columns(); ++j)
      columns.push_back({"direction " + std::to_string(j + 1), Kind::direction, 0.0, 1.0});
    return columns;
  }
  for (const AskedParameter& p : asked.parameters)
    columns.push_back({p.name, Kind::parameter, p.value, p.typical,
                       !differentiable ? DerivativeKind::differences
                       : p.input < 0   ? DerivativeKind::rebuilt
                                       : DerivativeKind::exact});
  for (const AskedStart& s : asked.start_values)
    columns.push_back({s.name, Kind::start, s.value, s.typical});
  return columns;
}

}  // namespace daedalus
