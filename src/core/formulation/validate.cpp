// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include <daedalus/problem.hpp>

#include "formulation/default_names.hpp"
#include "formulation/parameters.hpp"
#include "formulation/problem_checker.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

void check_index(const ProblemChecker& c, const std::vector<int>& index, long n) {
  if (index.empty()) return;
  c.size("variable_index", static_cast<long>(index.size()), n, "one per variable");
  for (int k : index) c.need(k >= 1 && k <= 3, "variable_index", "{} is not 1, 2 or 3", k);
}

void check(const ImplicitProblem& p, const ProblemChecker& c, const ParameterSet& parameters) {
  const int n = static_cast<int>(p.y0.size());
  c.need(static_cast<bool>(p.residual), "residual", "is missing");
  c.need(n > 0, "y0", "is empty");
  c.finite("y0", p.y0);
  c.finite("yp0", p.yp0);
  const int nd = p.leading_count > 0 ? p.leading_count : n;
  if (p.yp0.size() > 0) c.size("yp0", p.yp0.size(), nd, "as many as are differentiated");
  c.need(p.leading_count >= 0 && p.leading_count <= n, "leading_count", "must be between 0 and n");
  c.need((p.leading_count > 0) == static_cast<bool>(p.leading), "leading",
         "give leading and leading_count together");
  c.need(static_cast<bool>(p.jacobian_y) == static_cast<bool>(p.jacobian_yp), "jacobian_y",
         "give jacobian_y and jacobian_yp together");
  c.need(p.index >= 0 && p.index <= 3, "index", "{} is not 0..3", p.index);
  check_index(c, p.variable_index, n);
  c.need((p.extra_count > 0) == static_cast<bool>(p.extra_constraints), "extra_constraints",
         "give extra_constraints and extra_count together");
  c.size("side_variables", static_cast<long>(p.side_variables.size()),
         static_cast<long>(p.side_equations.size()), "one per side equation");
  for (const auto& [field, list] : {std::pair("side_equations", &p.side_equations),
                                    std::pair("side_variables", &p.side_variables)})
    for (const int i : *list)
      c.need(i >= 0 && i < n, field, "{} is not between 0 and {}", i, n - 1);
  c.names("variables", p.variables, n);
  c.names("equations", p.equations, n);
  c.unique({&p.variables});
  Eigen::VectorXd yp = p.yp0.size() > 0 ? p.yp0 : Eigen::VectorXd::Zero(nd);
  const auto a =
      state_arguments<double>(parameters, c.t0(), p.y0.data(), n, nullptr, 0, yp.data(), nd);
  c.call("residual", p.residual, a, n);
  c.call("leading", p.leading, a, p.leading_count);
  c.call("jacobian_y", p.jacobian_y, a, n, n);
  c.call("jacobian_yp", p.jacobian_yp, a, n, n);
  c.call("initial_equations", p.initial_equations, a, p.initial_equation_count);
  c.call("extra_constraints", p.extra_constraints, a, p.extra_count);
}

void check(const MassMatrixProblem& p, const ProblemChecker& c, const ParameterSet& parameters) {
  const int n = static_cast<int>(p.y0.size());
  c.need(static_cast<bool>(p.rhs), "rhs", "is missing");
  c.need(n > 0, "y0", "is empty");
  c.finite("y0", p.y0);
  c.need(!(p.mass && p.mass_matrix.size() > 0), "mass",
         "give either the callable mass or the constant mass_matrix");
  if (p.mass_matrix.size() > 0)
    c.need(p.mass_matrix.rows() == n && p.mass_matrix.cols() == n, "mass_matrix",
           "is {} x {}, expected {} x {}", p.mass_matrix.rows(), p.mass_matrix.cols(), n, n);
  for (int j = 0; j < p.mass_matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator e(p.mass_matrix, j); e; ++e)
      c.need(std::isfinite(e.value()), "mass_matrix", "entry ({}, {}) is {}", e.row() + 1,
             e.col() + 1, e.value());
  c.need(p.index >= 0 && p.index <= 3, "index", "{} is not 0..3", p.index);
  check_index(c, p.variable_index, n);
  c.names("variables", p.variables, n);
  c.names("equations", p.equations, n);
  c.unique({&p.variables});
  const auto a = state_arguments<double>(parameters, c.t0(), p.y0.data(), n);
  c.call("rhs", p.rhs, a, n);
  c.call("mass", p.mass, a, n, n);
  c.call("jacobian", p.jacobian, a, n, n);
  c.call("initial_equations", p.initial_equations, a, p.initial_equation_count);
}

void check(const SemiExplicitProblem& p, const ProblemChecker& c, const ParameterSet& parameters) {
  const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  c.need(static_cast<bool>(p.f), "f", "is missing");
  c.need(ny > 0, "y0", "is empty");
  c.need((nz > 0) == static_cast<bool>(p.g), "g", "give g and z0 together");
  c.finite("y0", p.y0);
  c.finite("z0", p.z0);
  int sum = 0;
  for (int b : p.hessenberg_blocks) {
    c.need(b > 0, "hessenberg_blocks", "{} is not a positive size", b);
    sum += b;
  }
  if (!p.hessenberg_blocks.empty())
    c.size("hessenberg_blocks", sum, ny, "the blocks of y must add up to its length");
  c.need(p.index >= 0 && p.index <= 3, "index", "{} is not 0..3", p.index);
  const int blocks = static_cast<int>(p.hessenberg_blocks.size());
  c.need(blocks == 0 || p.index <= 1 || p.index == blocks + 1, "index",
         "is {}, but {} hessenberg_blocks mean index {}", p.index, blocks, blocks + 1);
  c.need(blocks == 0 || p.variable_index.empty(), "variable_index",
         "follows from hessenberg_blocks; give one of them");
  check_index(c, p.variable_index, ny + nz);
  c.names("y_names", p.y_names, ny);
  c.names("z_names", p.z_names, nz);
  c.names("equations", p.equations, ny + nz);
  c.unique({&p.y_names, &p.z_names});
  const auto a = state_arguments<double>(parameters, c.t0(), p.y0.data(), ny, p.z0.data(), nz);
  c.call("f", p.f, a, ny);
  c.call("g", p.g, a, nz);
  c.call("f_y", p.f_y, a, ny, ny);
  c.call("f_z", p.f_z, a, ny, nz);
  c.call("g_y", p.g_y, a, nz, ny);
  c.call("g_z", p.g_z, a, nz, nz);
  c.call("initial_equations", p.initial_equations, a, p.initial_equation_count);
}

// Structure of M; returns the number of entries of all blocks, 0 without blocks.
int check_mass(const MultibodyProblem& p, const ProblemChecker& c) {
  const int n = p.velocities();
  c.need(!(p.mass && p.mass_matrix.size() > 0), "mass",
         "give either the callable mass or the constant mass_matrix");
  if (p.mass_matrix.size() > 0)
    c.need(p.mass_matrix.rows() == n && p.mass_matrix.cols() == n, "mass_matrix",
           "is {} x {}, expected {} x {} (velocities)", p.mass_matrix.rows(), p.mass_matrix.cols(),
           n, n);
  for (int j = 0; j < p.mass_matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator e(p.mass_matrix, j); e; ++e)
      if (!std::isfinite(e.value()))
        c.fail("mass_matrix",
               fmt::format("entry ({}, {}) is {}", e.row() + 1, e.col() + 1, e.value()));
  c.need(p.mass_blocks.empty() || p.mass, "mass_blocks",
         "describe what the callable mass writes; give mass, or mass_matrix without them");
  long sum = 0, entries = 0;
  for (const int size : p.mass_blocks) {
    if (size <= 0) c.fail("mass_blocks", fmt::format("{} is not a positive size", size));
    sum += size;
    entries += static_cast<long>(size) * size;
  }
  if (!p.mass_blocks.empty())
    c.need(sum == n, "mass_blocks", "add up to {}, expected {} (velocities)", sum, n);
  return static_cast<int>(entries);
}

// How far q0 may be off the group; more would be a different configuration.
constexpr double off_the_group = 1e-8;

void check_group_elements(const MultibodyProblem& p, const ProblemChecker& c) {
  int number = 0;
  p.space.for_each_element([&](const Space::Element& e) {
    if (e.kind == SpaceKind::euclidean) return;
    ++number;
    const bool position = e.kind == SpaceKind::se3 || e.kind == SpaceKind::s3_semidirect;
    const bool matrix = e.kind == SpaceKind::so3 || e.kind == SpaceKind::se3;
    const int first = e.point + (position ? 3 : 0), count = e.points - (position ? 3 : 0);
    const auto where = [&] {
      return fmt::format("group element {}, entries {} to {}", number, first + 1, first + count);
    };
    if (!matrix) {
      const double length = Eigen::Map<const Eigen::Vector4d>(p.q0.data() + first).norm();
      if (!(std::abs(length - 1.0) < off_the_group))
        c.need(false, "q0", "{}: not a unit quaternion, |p| = {:.9g}", where(), length);
      return;
    }
    const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix3d>(p.q0.data() + first);
    const double defect = (R.transpose() * R - Eigen::Matrix3d::Identity()).norm();
    const double volume = R.col(0).dot(so3::cross<double>(R.col(1), R.col(2)));
    if (!(defect < off_the_group))
      c.need(false, "q0", "{}: not a rotation matrix, |R^T R - I| = {:.3g}", where(), defect);
    if (!(volume > 0.0))
      c.need(false, "q0", "{}: a reflection, not a rotation, det R = {:.3g}", where(), volume);
  });
}

void check(const MultibodyProblem& p, const ProblemChecker& c, const ParameterSet& parameters) {
  const int nv = p.velocities(), nl = p.multipliers();
  c.need(p.space.points() > 0, "space", "is empty");
  c.need(nv > 0, "velocity_count", "must be positive");
  for (const auto& [field, count] :
       {std::pair{"constraint_count", p.constraint_count},
        std::pair{"nonholonomic_count", p.nonholonomic_count},
        std::pair{"dynamic_count", p.dynamic_count}, std::pair{"contact_count", p.contact_count}})
    c.need(count >= 0, field, "{} is negative", count);
  c.need(nl <= nv, "constraint_count", "{} constraints for {} velocities", nl, nv);
  c.need(static_cast<bool>(p.force), "force", "is missing");
  c.need((p.constraint_count > 0) == static_cast<bool>(p.constraint), "constraint",
         "give constraint and constraint_count together");
  c.need((p.nonholonomic_count > 0) == static_cast<bool>(p.nonholonomic_matrix),
         "nonholonomic_matrix", "give nonholonomic_matrix and nonholonomic_count together");
  c.need((p.dynamic_count > 0) == static_cast<bool>(p.dynamics), "dynamics",
         "give dynamics and dynamic_count together");
  c.need((p.contact_count > 0) == static_cast<bool>(p.contact), "contact",
         "give contact and contact_count together");
  if (p.contact_count > 0)
    c.need(p.contact.differentiable() && (!p.constraint || p.constraint.differentiable()),
           "contact", "contact and constraint must be differentiable: wrap them in autodiff");
  c.need(!p.kinematics || p.space.is_euclidean(), "kinematics",
         "needs a Euclidean space; on a group q' = v already is the kinematic equation");
  c.need(p.kinematics || nv == p.space.tangents(), "velocity_count",
         "is {} but the space has dimension {}; give kinematics T(t, q)", nv, p.space.tangents());
  c.size("q0", p.q0.size(), p.space.points(), "point coordinates of the space");
  c.size("v0", p.v0.size(), nv, "velocities");
  c.size("c0", p.c0.size(), p.dynamic_count, "dynamic_count");
  c.size("s0", p.s0.size(), p.contact_count, "contact_count");
  if (p.lambda0.size() > 0) c.size("lambda0", p.lambda0.size(), nl, "multipliers");
  for (const auto& [field, v] :
       {std::pair{"q0", &p.q0}, std::pair{"v0", &p.v0}, std::pair{"c0", &p.c0},
        std::pair{"s0", &p.s0}, std::pair{"lambda0", &p.lambda0}})
    c.finite(field, *v);
  c.names("q_names", p.q_names, p.space.points());
  c.names("v_names", p.v_names, nv);
  c.names("lambda_names", p.lambda_names, nl);
  c.names("c_names", p.c_names, p.dynamic_count);
  c.names("s_names", p.s_names, p.contact_count);
  // Names that are not given differ by their letters.
  if (!(p.q_names.empty() && p.v_names.empty() && p.lambda_names.empty() && p.c_names.empty() &&
        p.s_names.empty())) {
    const auto q = default_names(p.q_names, "q", p.space.points()),
               v = default_names(p.v_names, "v", nv),
               l = default_names(p.lambda_names, "lambda", nl),
               cn = default_names(p.c_names, "c", p.dynamic_count),
               sn = default_names(p.s_names, "s", p.contact_count);
    c.unique({&q, &v, &l, &cn, &sn});
  }
  check_group_elements(p, c);
  const Eigen::VectorXd lambda = p.lambda0.size() > 0 ? p.lambda0 : Eigen::VectorXd::Zero(nl);
  Arguments<double> a;
  a.t = c.t0();
  a.x = {p.q0.data(), p.v0.data(), lambda.data(), p.c0.data(), p.s0.data()};
  a.n = {p.space.points(), nv, nl, p.dynamic_count, p.contact_count};
  parameters.apply(a);
  const int block_entries = check_mass(p, c);
  c.call("mass", p.mass, a, block_entries > 0 ? block_entries : nv, block_entries > 0 ? 1 : nv);
  c.call("force", p.force, a, nv);
  c.call("constraint", p.constraint, a, p.constraint_count);
  // A full matrix that a large system would never ask for (multibody_structure.cpp) is not made
  // here either.
  if (nv + nl <= 600 || !p.constraint.differentiable())
    c.call("constraint_jacobian", p.constraint_jacobian, a, p.constraint_count, p.space.tangents());
  c.call("constraint_time_derivative", p.constraint_time_derivative, a, p.constraint_count);
  c.call("acceleration_term", p.acceleration_term, a, p.constraint_count);
  c.call("kinematics", p.kinematics, a, p.space.tangents(), nv);
  c.call("nonholonomic_matrix", p.nonholonomic_matrix, a, p.nonholonomic_count, nv);
  c.call("nonholonomic_offset", p.nonholonomic_offset, a, p.nonholonomic_count);
  c.call("dynamics", p.dynamics, a, p.dynamic_count);
  c.call("contact", p.contact, a, p.contact_count);
  c.call("initial_equations", p.initial_equations, a, p.initial_equation_count);
}

}  // namespace

void validate(const Problem& problem, double t0) {
  std::visit(
      [&](const auto& p) {
        const ProblemChecker c(p.name, t0);
        c.parameters(p.parameters);
        c.need(p.initial_equation_count >= 0, "initial_equation_count", "is negative");
        c.need((p.initial_equation_count > 0) == static_cast<bool>(p.initial_equations),
               "initial_equations", "give initial_equations and initial_equation_count together");
        check(p, c,
              ParameterSet(p.parameters, std::make_shared<const std::vector<double>>(p.modes)));
      },
      problem);
}

const std::string& name_of(const Problem& problem) {
  return std::visit([](const auto& p) -> const std::string& { return p.name; }, problem);
}

std::string_view form_of(const Problem& problem) {
  constexpr std::string_view names[] = {"implicit", "mass-matrix", "semi-explicit", "multibody"};
  return names[problem.index()];
}

int index_of(const Problem& problem) {
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) return i->index;
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    return m->mass || m->mass_matrix.size() > 0 ? m->index : 0;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) {
    if (e->z0.size() == 0) return 0;
    return e->hessenberg_blocks.empty() ? std::max(e->index, 1)
                                        : static_cast<int>(e->hessenberg_blocks.size()) + 1;
  }
  const auto& b = std::get<MultibodyProblem>(problem);
  return b.constraint_count > 0 ? 3 : b.nonholonomic_count > 0 ? 2 : b.contact_count > 0 ? 1 : 0;
}

void set_parameter(Problem& problem, const std::string& name, double value) {
  std::visit(
      [&](auto& p) {
        for (Parameter& parameter : p.parameters)
          if (parameter.name == name) {
            parameter.value = value;
            if (p.start) apply_start(problem);
            return;
          }
        std::vector<std::string> known;
        for (const Parameter& parameter : p.parameters) known.push_back(parameter.name);
        std::string list;
        for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
        throw InvalidArgument(fmt::format("problem '{}' has no parameter '{}'.{} It has: {}",
                                          p.name, name, suggestion(name, known),
                                          list.empty() ? "none" : list));
      },
      problem);
}

}  // namespace daedalus
