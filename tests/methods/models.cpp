// SPDX-License-Identifier: BSD-3-Clause
#include "methods/models.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <ostream>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/recommend.hpp>

#include "system/model_size.hpp"

namespace daedalus::methods_test {
namespace {

Eigen::VectorXd vector(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

// Computed when first asked for, so that listing the tests costs nothing.
testing::ExactState fine_solution(const Problem& problem, Interval interval, int steps,
                                  const char* method) {
  struct Lazy {
    Problem problem;
    Interval interval;
    int steps;
    const char* method;
    std::unique_ptr<Solution> solution{};
  };
  auto lazy = std::make_shared<Lazy>(Lazy{problem, interval, steps, method});
  return [lazy](double t, const Variables& variables, Out y) {
    if (!lazy->solution) {
      const Options fine{.method = lazy->method,
                         .projection = ProjectionWhen::none,
                         .output = Output::dense,
                         .fixed_step = (lazy->interval.to - lazy->interval.from) / lazy->steps};
      lazy->solution = std::make_unique<Solution>(solve(lazy->problem, lazy->interval, fine));
    }
    if (!lazy->solution->ok()) return false;
    const ModelState s = lazy->solution->at(t);
    const int of_model = model_size(variables);
    for (int i = 0; i < y.size(); ++i)
      y[i] = i < of_model ? s[variables.names[static_cast<std::size_t>(i)]] : 0.0;
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

Model computed(std::string name, Problem problem, Interval interval, int coarsest, int steps,
               const char* method = "rk4") {
  testing::ExactState exact = fine_solution(problem, interval, steps, method);
  return {std::move(name), std::move(problem), interval, std::move(exact), coarsest};
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
  return {"index-one", std::move(p), {0.0, 2.0}, exact, 16};
}

Model product() {
  SemiExplicitProblem p{.name = "product",
                        .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                          f[0] = y[1] * z[0];
                          f[1] = -y[1];
                        }),
                        .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
                          g[0] = z[0] - y[1] * y[1];
                        }),
                        .y0 = vector({2.0 / 3.0, 1.0}),
                        .z0 = vector({1.0}),
                        .y_names = {"y1", "y2"},
                        .z_names = {"z"}};
  const auto exact = [](double t, const Variables&, Out y) {
    y[0] = 1.0 - std::exp(-3.0 * t) / 3.0, y[1] = std::exp(-t), y[2] = std::exp(-2.0 * t);
    return true;
  };
  return {"product", std::move(p), {0.0, 2.0}, exact, 8};
}

Model generic() {
  const Eigen::Vector2d y(1.0, 0.5);
  Eigen::Vector2d z(0.5, 0.3);  // the algebraic equations are a contraction in this form
  for (int k = 0; k < 200; ++k)
    z = Eigen::Vector2d(y[0] * y[1] - 0.25 * std::sin(z[0] + z[1]),
                        std::cos(y[0]) - y[1] * y[1] - 0.25 * z[0] * z[0]);
  SemiExplicitProblem p{.name = "generic",
                        .f = autodiff([](const auto&, const auto& x, const auto& w, auto& f) {
                          using std::sin;
                          f[0] = x[1] * w[0] - 0.5 * x[0] * w[1];
                          f[1] = -x[0] * w[0] + 0.5 * sin(w[1]) * x[1];
                        }),
                        .g = autodiff([](const auto&, const auto& x, const auto& w, auto& g) {
                          using std::cos, std::sin;
                          g[0] = w[0] + 0.25 * sin(w[0] + w[1]) - x[0] * x[1];
                          g[1] = w[1] + 0.25 * w[0] * w[0] - cos(x[0]) + x[1] * x[1];
                        }),
                        .y0 = y,
                        .z0 = z};
  return computed("generic", std::move(p), {0.0, 1.0}, 4, 512, "rodas5p");
}

Model from_catalogue(const std::string& name, Interval interval, int coarsest) {
  const problems::Entry* entry = problems::find_problem(name);
  const auto exact = [entry](double t, const Variables& variables, Out y) {
    y.setZero();  // eta
    for (const auto& [variable, value] : entry->exact(t, {})) y[variables.find(variable)] = value;
    return true;
  };
  return {name, entry->problem(), interval, exact, coarsest};
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
    list.push_back(product());
    list.push_back(generic());
    list.push_back(from_catalogue("brenan", {0.0, 4.0}, 12));
    list.push_back(from_catalogue("kvaerno-a", {-1.0, 1.0}, 32));
    list.push_back(from_catalogue("arevalo", {1.0, 2.0}, 16));
    list.push_back(from_catalogue("knife-edge", {0.0, 4.0}, 32));
    list.push_back(pendulum());
    list.push_back(car_axis());
    list.push_back(rigid_body());
    list.push_back(guided_body());
    return list;
  }();
  return models;
}

Options Case::options() const {
  const double tolerance = method->order <= 2 ? 1e-9 : multistep(*method) ? 1e-11 : 1e-12;
  Options o{.method = method->name,
            .formulation = formulation.empty() ? "auto" : formulation,
            .projection = ProjectionWhen::none,
            .rtol = tolerance,
            .atol = tolerance};
  if (multistep(*method)) {
    o.known = start_values(*model, o);
    if (const double standard = standard_of(*method, "newton_tolerance"); !std::isnan(standard))
      o.method_options["newton_tolerance"] = 1e-2 * standard;
  }
  return o;
}

bool multistep(const Method& method) {
  // Radau methods of variable order start from one value.
  return (method.max_order > method.min_order && method.family != "radau") ||
         method.family == "partitioned-multistep" || method.family == "lie";
}

std::function<bool(double, Out)> start_values(const Model& model, Options options) {
  const auto variables = std::make_shared<Variables>();
  return [&model, options, variables](double t, Out y) {
    if (variables->size() == 0) {
      Options probe = options;
      probe.fixed_step = 1.0;
      *variables =
          solve(model.problem, {model.interval.from, model.interval.from}, probe).variables();
    }
    return model.exact(t, *variables, y);
  };
}

double standard_of(const Method& method, const std::string& option) {
  for (const MethodOption& o : method.options)
    if (o.key == option) return o.standard;
  return std::nan("");
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
      for (const std::string& f : fitting_formulations(model.problem, *m, {.fixed_step = 1.0})) {
        // Formulas with 7 and 8 steps are stable on the pendulum only where their errors are
        // round-off.
        if (m->order > 7 && multistep(*m) && model.coarsest > 64) continue;
        cases.push_back({m, &model, f});
      }
  return cases;
}

std::vector<double> ladder(const Case& c) {
  const double length = c.model->interval.to - c.model->interval.from;
  const auto& orders = c.method->orders.of;
  const double highest = *std::max_element(orders.begin(), orders.end());
  std::vector<double> steps;
  if (c.method->order > 4) {
    // From visible errors to round-off there are only few halvings: half ones, from coarser steps
    // where the method is implicit in everything.
    const bool coarser = c.method->view != View::partitioned;
    // BDF have larger error constants than one-step methods of their order; with index 3 rounding
    // errors come back as h^-2 and end the ladder early.
    const bool index3 = c.formulation == "index3";
    // Half-explicit ones lie between: z of the stages begins to follow the motion a little later.
    const bool half = c.method->hessenberg_only && c.method->error_order > 0;
    // BDF of six steps leave their region of stability on the coarsest grid, and round-off is near.
    if (c.method->family == "lie" && c.method->order == 6) {
      for (int k = 0; k <= 12; ++k)
        steps.push_back(length / static_cast<double>(
                                     std::lround(2 * c.model->coarsest * std::pow(2.0, 0.25 * k))));
      return steps;
    }
    const int first = multistep(*c.method) ? c.model->coarsest
                      : half               ? 5 * c.model->coarsest / 8
                                           : std::max(2, c.model->coarsest / (!coarser              ? 1
                                                                              : c.method->order > 5 ? 4
                                                                                                    : 2));
    // Between the limit of stability and round-off an order above 6 leaves less than two halvings.
    if (multistep(*c.method) && c.method->order > 6) {
      for (int k = 0; k <= 24; ++k)
        steps.push_back(length / static_cast<double>(std::lround(first * std::pow(2.0, k / 8.0))));
      return steps;
    }
    // Neither does one between errors as large as the solution and round-off.
    if (c.method->order > 7) {
      const int coarse = std::max(2, c.model->coarsest / 6);
      for (int k = 0; k <= 16; ++k)
        steps.push_back(length / static_cast<double>(std::lround(coarse * std::pow(2.0, k / 4.0))));
      return steps;
    }
    for (int k = 0; k <= (multistep(*c.method) && index3 ? 7 : 10); ++k)
      steps.push_back(length / static_cast<double>(std::lround(first * std::pow(2.0, 0.5 * k))));
    return steps;
  }
  // Low order: the Newton tolerance must stay invisible, and index-3 systems magnify it by h^-2.
  const bool low = highest <= 2.0;
  const int first = low ? 8 * c.model->coarsest : c.model->coarsest;
  // Algebraic variables of order 2 next to others of order 4 need one more halving.
  const bool uneven =
      c.method->hessenberg_only && !low && c.method->orders[VariableClass::lambda] <= 2.0;
  for (int k = 0; k <= (low ? 5 : uneven ? 8 : 7); ++k) steps.push_back(length / (first << k));
  return steps;
}

}  // namespace daedalus::methods_test
