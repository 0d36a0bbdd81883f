#include "methods/models.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <ostream>

#include <daedalus/autodiff.hpp>
#include <problems/catalogue.hpp>

namespace daedalus::methods_test {
namespace {

Eigen::VectorXd vector(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

// Computed when first asked for, so that listing the tests costs nothing.
testing::ExactState fine_solution(const Problem& problem, Interval interval, int steps) {
  struct Lazy {
    Problem problem;
    Interval interval;
    int steps;
    std::unique_ptr<Solution> solution{};
  };
  auto lazy = std::make_shared<Lazy>(Lazy{problem, interval, steps});
  return [lazy](double t, const Variables& variables, Out y) {
    if (!lazy->solution) {
      const Options fine{.method = "rk4",
                         .projection = ProjectionWhen::none,
                         .output = Output::dense,
                         .fixed_step = (lazy->interval.to - lazy->interval.from) / lazy->steps};
      lazy->solution = std::make_unique<Solution>(solve(lazy->problem, lazy->interval, fine));
    }
    if (!lazy->solution->ok()) return false;
    const ModelState s = lazy->solution->at(t);
    for (int i = 0; i < variables.size(); ++i)
      y[i] = s[variables.names[static_cast<std::size_t>(i)]];
    // The dense output of multipliers is linear only: a cubic through four neighbours instead.
    const Variables::Range* r = variables.range_of(VariableClass::lambda);
    if (!r) return true;
    const double length = lazy->interval.to - lazy->interval.from;
    const double place = (t - lazy->interval.from) / length * lazy->steps;
    const int first = std::clamp(static_cast<int>(place) - 1, 0, lazy->steps - 3);
    y.segment(r->first, r->count).setZero();
    for (int j = 0; j < 4; ++j) {
      double weight = 1.0;
      for (int k = 0; k < 4; ++k)
        if (k != j) weight *= (place - first - k) / (j - k);
      const ModelState at = lazy->solution->state(static_cast<std::size_t>(first + j));
      y.segment(r->first, r->count) += weight * at.lambda();
    }
    return true;
  };
}

Model computed(std::string name, Problem problem, Interval interval, int coarsest, int steps) {
  testing::ExactState exact = fine_solution(problem, interval, steps);
  return {std::move(name), std::move(problem), interval, std::move(exact), coarsest, {}};
}

// Euler's equations J w' = -w x J w + torque for a body with orientation R, w in body coordinates.
MultibodyProblem body(std::string name) {
  const Eigen::Matrix3d start =
      Eigen::AngleAxisd(1.2, Eigen::Vector3d(1.0, 2.0, -1.0).normalized()).toRotationMatrix();
  return MultibodyProblem{.name = std::move(name),
                          .space = so3_space(),
                          .mass = autodiff([](const auto&, const auto&, auto& M) {
                            for (int i = 0; i < 3; ++i)
                              for (int j = 0; j < 3; ++j) M(i, j) = i == j ? 1.0 + 0.5 * i : 0.0;
                          }),
                          .force = autodiff([](const auto&, const auto&, const auto& w, auto& f) {
                            f[0] = (1.5 - 2.0) * w[1] * w[2];
                            f[1] = (2.0 - 1.0) * w[2] * w[0];
                            f[2] = (1.0 - 1.5) * w[0] * w[1];
                          }),
                          .q0 = Eigen::Map<const Eigen::VectorXd>(start.data(), 9),
                          .v0 = vector({0.7, -1.1, 0.9})};
}

}  // namespace

Model index_one() {
  const auto w = [](const auto& t) {
    using std::sin;
    return 1.0 + 0.5 * sin(t);
  };
  SemiExplicitProblem p{.name = "index-one",
                        .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                          f[0] = y[1] * z[0];
                          f[1] = -y[0] * z[0];
                        }),
                        .g = autodiff([w](const auto& t, const auto& y, const auto& z, auto& g) {
                          const auto right = w(t);
                          g[0] = z[0] * z[0] * z[0] + z[0] * (y[0] * y[0] + y[1] * y[1]) -
                                 right * right * right - right;
                        }),
                        .y0 = vector({0.0, 1.0}),
                        .z0 = vector({1.0}),
                        .y_names = {"y1", "y2"},
                        .z_names = {"z"}};
  const auto exact = [w](double t, const Variables&, Out y) {
    const double phi = t + 0.5 * (1.0 - std::cos(t));
    y[0] = std::sin(phi), y[1] = std::cos(phi), y[2] = w(t);
    return true;
  };
  return {"index-one", std::move(p), {0.0, 2.0}, exact, 16, {}};
}

Model from_catalogue(const std::string& name, Interval interval, int coarsest) {
  const problems::Entry* entry = problems::find_problem(name);
  const auto exact = [entry](double t, const Variables& variables, Out y) {
    for (const auto& [variable, value] : entry->exact(t, {})) y[variables.find(variable)] = value;
    return true;
  };
  return {name, entry->problem(), interval, exact, coarsest, {}};
}

Model pendulum() {
  return computed("pendulum", problems::find_problem("pendulum")->problem(), {0.0, 3.0}, 96, 24576);
}

Model car_axis() {
  return computed("car-axis", problems::find_problem("car-axis")->problem(), {0.0, 0.3}, 48, 16384);
}

Model rigid_body() { return computed("rigid-body", body("rigid-body"), {0.0, 2.0}, 16, 8192); }

Model guided_body() {
  // The third axis keeps its inclination, R_33 = constant, under a torque about it.
  MultibodyProblem p = body("guided-body");
  p.constraint_count = 1;
  const double level = p.q0[8];
  p.force = autodiff([](const auto& t, const auto& q, const auto& w, auto& f) {
    using std::sin;
    f[0] = (1.5 - 2.0) * w[1] * w[2] + 2.0 * q[5];
    f[1] = (2.0 - 1.0) * w[2] * w[0] - 2.0 * q[2];
    f[2] = (1.0 - 1.5) * w[0] * w[1] + sin(3.0 * t);
  });
  p.constraint = autodiff([level](const auto&, const auto& q, auto& g) { g[0] = q[8] - level; });
  // d/dt R_33 = (R w^)_33 = R_31 w_2 - R_32 w_1: the velocity must satisfy this row.
  const Eigen::Map<const Eigen::Matrix3d> R(p.q0.data());
  const Eigen::Vector3d row(-R(2, 1), R(2, 0), 0.0);
  const Eigen::Vector3d w = p.v0;
  p.v0 = w - row * (row.dot(w) / row.squaredNorm());
  return computed("guided-body", std::move(p), {0.0, 2.0}, 16, 8192);
}

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = [] {
    std::vector<Model> list;
    list.push_back(index_one());
    list.push_back(from_catalogue("brenan", {0.0, 4.0}, 12));
    list.push_back(from_catalogue("kvaerno-a", {-1.0, 1.0}, 32));
    list.push_back(from_catalogue("arevalo", {1.0, 2.0}, 16));
    list.push_back(from_catalogue("knife-edge", {0.0, 4.0}, 32));
    // Heading and turning rate are linear in t and come out exactly; lambda depends on the rest
    // only through the speed along the edge.
    list.back().may_exceed = {"lambda"};
    list.push_back(pendulum());
    list.push_back(car_axis());
    list.push_back(rigid_body());
    list.push_back(guided_body());
    return list;
  }();
  return models;
}

Options Case::options() const {
  const double tolerance = method->order <= 2 ? 1e-9 : 1e-12;
  return {.method = method->name,
          .formulation = formulation.empty() ? "auto" : formulation,
          .projection = ProjectionWhen::none,
          .rtol = tolerance,
          .atol = tolerance};
}

std::string label(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

std::string label(const Case& c) {
  return label(c.method->name + "_" + c.model->name +
               (c.formulation.empty() ? "" : "_" + c.formulation));
}

void PrintTo(const Case& c, std::ostream* out) { *out << label(c); }

std::vector<std::string> fitting_formulations(const Problem& problem, const Method& method,
                                              Options options) {
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  std::vector<std::string> found;
  options.method = method.name;
  for (const std::string& f : multibody ? method.formulations : std::vector<std::string>{""}) {
    options.formulation = f.empty() ? "auto" : f;
    try {
      recommend(problem, options);
      found.push_back(f);
    } catch (const InvalidArgument&) {
    }
  }
  return found;
}

std::vector<Case> fixed_step_cases() {
  std::vector<Case> cases;
  for (const Method* m : all_methods())
    for (const Model& model : all_models())
      for (const std::string& f : fitting_formulations(model.problem, *m, {.fixed_step = 1.0}))
        cases.push_back({m, &model, f});
  return cases;
}

std::vector<double> ladder(const Case& c) {
  const double length = c.model->interval.to - c.model->interval.from;
  std::vector<double> steps;
  if (c.method->order > 4) {
    // From visible errors to round-off there are only few halvings: half ones, from coarser steps.
    const int first = c.model->coarsest / (c.method->order > 5 ? 4 : 2);
    for (int k = 0; k <= 10; ++k)
      steps.push_back(length / static_cast<double>(std::lround(first * std::pow(2.0, 0.5 * k))));
    return steps;
  }
  // Low order: the Newton tolerance must stay invisible, and index-3 systems magnify it by h^-2.
  const bool low = c.method->order <= 2;
  const int first = low ? 8 * c.model->coarsest : c.model->coarsest;
  for (int k = 0; k <= (low ? 5 : 7); ++k) steps.push_back(length / (first << k));
  return steps;
}

}  // namespace daedalus::methods_test
