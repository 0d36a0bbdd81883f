// SPDX-License-Identifier: BSD-3-Clause
#include "io/run_file.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

namespace daedalus {
namespace {

using Text = fmt::memory_buffer;

void put(Text& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

void put_string(Text& out, std::string_view text) {
  put(out, "\"");
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(c));
    } else {
      out.push_back(c);
    }
  }
  put(out, "\"");
}

// The shortest text that gives the same bits when read again; null for what is not finite.
void put_number(Text& out, double value) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out), "{}", value);
  else
    put(out, "null");
}

void put_value(Text& out, double value) { put_number(out, value); }
void put_value(Text& out, int value) { fmt::format_to(std::back_inserter(out), "{}", value); }
void put_value(Text& out, long value) { fmt::format_to(std::back_inserter(out), "{}", value); }
void put_value(Text& out, const std::string& value) { put_string(out, value); }

template <class List>
void put_list(Text& out, const List& values) {
  put(out, "[");
  bool first = true;
  for (const auto& value : values) {
    if (!first) put(out, ",");
    first = false;
    put_value(out, value);
  }
  put(out, "]");
}

// Writes "key": and takes care of the commas between members.
class Members {
 public:
  explicit Members(Text& out) : out_(out) {}
  Text& operator()(std::string_view key) {
    if (!first_) put(out_, ",");
    first_ = false;
    put_string(out_, key);
    put(out_, ":");
    return out_;
  }

 private:
  Text& out_;
  bool first_ = true;
};

void put_text_or_null(Text& out, const std::string& text) {
  if (text.empty())
    put(out, "null");
  else
    put_string(out, text);
}

void put_model(Text& out, const Problem& problem, const RunFile& file) {
  put(out, "{");
  Members member(out);
  put_string(member("title"), file.title.empty() ? name_of(problem) : file.title);
  put_string(member("form"), form_of(problem));
  put_value(member("index"), index_of(problem));
  put_text_or_null(member("source"), file.source);
  put_text_or_null(member("equations"), file.equations);
  put(out, "}");
}

void put_variables(Text& out, const Variables& variables) {
  put(out, "[");
  bool first = true;
  for (const Variables::Range& range : variables.ranges)
    for (int i = range.first; i < range.first + range.count; ++i) {
      put(out, first ? "{" : ",{");
      first = false;
      Members member(out);
      put_string(member("name"), variables.names[static_cast<std::size_t>(i)]);
      put_string(member("class"), to_string(range.cls));
      put_value(member("index"), range.index);
      put(out, "}");
    }
  put(out, "]");
}

void put_steps(Text& out, const StepTable& steps) {
  put(out, "{");
  Members member(out);
  put_list(member("t"), steps.t);
  put_list(member("h"), steps.h);
  put_list(member("order"), steps.order);
  put_list(member("error"), steps.error);
  put_list(member("newton_iterations"), steps.newton_iterations);
  put_list(member("outcome"), steps.outcome);
  put(member("worst"), "{");
  Members worst(out);
  for (const auto& [name, count] : steps.worst) put_value(worst(name), count);
  put(out, "}}");
}

void put_residuals(Text& out, const std::vector<DriftSample>& drift) {
  if (drift.empty()) {
    put(out, "null");
    return;
  }
  put(out, "{");
  Members member(out);
  const auto column = [&](const char* key, double DriftSample::*field) {
    std::vector<double> values;
    for (const DriftSample& sample : drift) values.push_back(sample.*field);
    put_list(member(key), values);
  };
  column("t", &DriftSample::t);
  column("position", &DriftSample::position);
  column("velocity", &DriftSample::velocity);
  column("acceleration", &DriftSample::acceleration);
  put(out, "}");
}

// The vectors of a problem form, in the order of its slots (function.hpp).
void fill(Arguments<double>& a, const MultibodyProblem&, const StateView& state) {
  std::size_t i = 0;
  for (const VariableClass c : {VariableClass::q, VariableClass::v, VariableClass::lambda,
                                VariableClass::c, VariableClass::s}) {
    const In part = state.of(c);
    a.x[i] = part.data();
    a.n[i++] = static_cast<int>(part.size());
  }
}
void fill(Arguments<double>& a, const SemiExplicitProblem& p, const StateView& state) {
  a.x[0] = state.y().data();
  a.n[0] = static_cast<int>(p.y0.size());
  a.x[1] = a.x[0] + a.n[0];
  a.n[1] = static_cast<int>(p.z0.size());
}
template <class FirstOrder>
void fill(Arguments<double>& a, const FirstOrder& p, const StateView& state) {
  a.x[0] = state.y().data();
  a.n[0] = static_cast<int>(p.y0.size());
}

void put_invariants(Text& out, const Problem& problem, const Variables& variables,
                    const Samples& samples) {
  put(out, "{");
  Members member(out);
  std::visit(
      [&](const auto& p) {
        std::vector<double> parameters;
        for (const Parameter& parameter : p.parameters) parameters.push_back(parameter.value);
        for (const auto& invariant : p.invariants) {
          std::vector<double> values;
          for (std::size_t k = 0; k < samples.t.size(); ++k) {
            const StateView state(variables, samples.t[k], samples.y[k].data());
            Arguments<double> a;
            a.t = samples.t[k];
            fill(a, p, state);
            a.p = parameters.data();
            a.parameter_count = static_cast<int>(parameters.size());
            a.modes = p.modes.data();
            a.mode_count = static_cast<int>(p.modes.size());
            double value = 0.0;
            const bool good = invariant.value(a, &value, 1) == Eval::ok;
            values.push_back(good ? value : std::nan(""));
          }
          put_list(member(invariant.name), values);
        }
      },
      problem);
  put(out, "}");
}

// v^T M v / 2, M as the problem gives it: a constant, blocks one after another, or a full matrix.
double kinetic_energy(const MultibodyProblem& p, const Arguments<double>& a, const In& v,
                      std::vector<double>& entries) {
  const int n = p.velocities();
  double twice = 0.0;
  if (!p.mass) {
    for (int j = 0; j < p.mass_matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator e(p.mass_matrix, j); e; ++e)
        twice += v[e.row()] * e.value() * v[e.col()];
    return 0.5 * twice;
  }
  std::vector<int> blocks = p.mass_blocks;
  if (blocks.empty()) blocks = {n};
  int count = 0, first = 0;
  for (const int size : blocks) count += size * size;
  entries.assign(static_cast<std::size_t>(count), 0.0);
  const bool full = p.mass_blocks.empty();
  if (p.mass(a, entries.data(), full ? n : count, full ? n : 1) != Eval::ok) return std::nan("");
  const double* M = entries.data();
  for (const int size : blocks) {
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) twice += v[first + i] * *M++ * v[first + j];
    first += size;
  }
  return 0.5 * twice;
}

void put_kinetic_energy(Text& out, const Problem& problem, const Variables& variables,
                        const Samples& samples) {
  const auto* p = std::get_if<MultibodyProblem>(&problem);
  if (!p) {
    put(out, "null");
    return;
  }
  std::vector<double> parameters, values, entries;
  for (const Parameter& parameter : p->parameters) parameters.push_back(parameter.value);
  for (std::size_t k = 0; k < samples.t.size(); ++k) {
    const StateView state(variables, samples.t[k], samples.y[k].data());
    Arguments<double> a;
    a.t = samples.t[k];
    fill(a, *p, state);
    a.p = parameters.data();
    a.parameter_count = static_cast<int>(parameters.size());
    a.modes = p->modes.data();
    a.mode_count = static_cast<int>(p->modes.size());
    values.push_back(kinetic_energy(*p, a, state.v(), entries));
  }
  put_list(out, values);
}

void put_body(Text& out, const Body& body, const Variables& variables, const Samples& frames) {
  const auto count = static_cast<std::size_t>(body.motion_count);
  std::vector<double> motion(count * frames.t.size());
  bool moves = false;
  for (std::size_t k = 0; k < frames.t.size(); ++k) {
    double* const row = motion.data() + k * count;
    body.motion(StateView(variables, frames.t[k], frames.y[k].data()), row);
    moves = moves || !std::equal(row, row + count, motion.data());
  }
  if (!moves) motion.resize(count);
  put(out, "{");
  Members member(out);
  put_string(member("name"), body.name);
  put_string(member("shape"), to_string(body.shape));
  put_list(member("size"), body.size);
  put_text_or_null(member("colour"), body.colour);
  put(member("trail"), body.trail ? "true" : "false");
  put_value(member("motion_count"), body.motion_count);
  put(member("motion"), "[");
  // Seven digits are finer than any screen.
  for (std::size_t i = 0; i < motion.size(); ++i) {
    if (i > 0) put(out, ",");
    if (std::isfinite(motion[i]))
      fmt::format_to(std::back_inserter(out), "{:.7g}", motion[i]);
    else
      put(out, "null");
  }
  put(out, "]}");
}

void put_scene(Text& out, const Scene& scene, const Variables& variables, const Samples& frames) {
  if (scene.bodies.empty() || frames.t.empty()) {
    put(out, "null");
    return;
  }
  put(out, "{");
  Members member(out);
  put_list(member("up"), scene.up);
  put_list(member("view"), scene.view);
  if (scene.ground)
    put_number(member("ground"), *scene.ground);
  else
    put(member("ground"), "null");
  put_list(member("t"), frames.t);
  put(member("bodies"), "[");
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (i > 0) put(out, ",");
    put_body(out, scene.bodies[i], variables, frames);
  }
  put(out, "]}");
}

void put_trajectory(Text& out, const Variables& variables, const Samples& samples) {
  put(out, "{");
  Members member(out);
  put_list(member("t"), samples.t);
  put(member("y"), "{");
  Members column(out);
  std::vector<double> values(samples.t.size());
  for (int i = 0; i < variables.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = samples.y[k][i];
    put_list(column(variables.names[static_cast<std::size_t>(i)]), values);
  }
  put(out, "}}");
}

}  // namespace

std::string statistics_object(const Statistics& s) {
  const Counts n = s.total();
  Text out;
  put(out, "{");
  Members member(out);
  put_value(member("steps"), s.steps());
  put_value(member("accepted"), s.accepted);
  put_value(member("rejected"), s.rejected);
  put_value(member("residual_evaluations"), n.residual_evaluations);
  put_value(member("function_evaluations"), n.function_evaluations);
  put_value(member("jacobian_evaluations"), n.jacobian_evaluations);
  put_value(member("jacobian_columns"), n.jacobian_columns);
  put_value(member("mass_evaluations"), n.mass_evaluations);
  put_value(member("constraint_evaluations"), n.constraint_evaluations);
  put_value(member("constraint_jacobian_evaluations"), n.constraint_jacobian_evaluations);
  put_value(member("curvature_evaluations"), n.curvature_evaluations);
  put_value(member("factorisations"), n.factorisations);
  put_value(member("solves"), n.solves);
  put_value(member("newton_iterations"), n.newton_iterations);
  put_value(member("newton_failures"), n.newton_failures);
  put_value(member("krylov_iterations"), n.krylov_iterations);
  put_value(member("krylov_failures"), n.krylov_failures);
  put_value(member("projections"), s.projections);
  put_value(member("chart_changes"), s.chart_changes);
  put_value(member("restarts"), s.restarts);
  put_value(member("events"), s.events);
  put_list(member("order_histogram"), s.order_histogram);
  put_value(member("h_min"), s.h_min);
  put_value(member("h_max"), s.h_max);
  put_value(member("proposed_step"), s.proposed_step);
  put_value(member("last_step"), s.last_step);
  put_value(member("last_error"), s.last_error);
  put_value(member("error_test_failures"), s.error_test_failures);
  put_value(member("projection_failures"), s.projection_failures);
  put_value(member("seconds"), s.seconds);
  put(out, "}");
  return fmt::to_string(out);
}

std::string run_members(const Problem& problem, const Solution& solution, const RunFile& file,
                        const Samples& samples, const Samples& frames) {
  Text out;
  Members member(out);
  put_model(member("model"), problem, file);
  put_variables(member("variables"), solution.variables());
  put_steps(member("steps"), file.steps);
  put_residuals(member("residuals"), solution.drift());
  put_invariants(member("invariants"), problem, solution.variables(), samples);
  put_kinetic_energy(member("kinetic_energy"), problem, solution.variables(), samples);
  put_scene(member("scene"), file.scene, solution.variables(), frames);
  return fmt::to_string(out);
}

void write_run(std::ostream& out, const Problem& problem, const Solution& solution,
               const RunFile& file) {
  const Samples samples = sample_steps(solution), frames = sample_frames(solution);
  const MethodChoice& choice = solution.choice();
  Text text;
  put(text, "{");
  Members member(text);
  put_value(member("version"), 1);
  put_string(member("problem"), name_of(problem));
  put_string(member("method"), choice.method);
  put_text_or_null(member("formulation"), choice.formulation);
  put_string(member("reason"), choice.reason);
  put_text_or_null(member("linear_solver"), choice.linear_solver);
  put_string(member("status"), to_string(solution.status()));
  put_string(member("message"), solution.message());
  put_value(member("t"), solution.end_time());
  put(member("y"), "{");
  const ModelState end = solution.end();
  Members value(text);
  for (int i = 0; i < end.variables().size(); ++i)
    put_value(value(end.variables().names[static_cast<std::size_t>(i)]), end.y()[i]);
  put(text, "}");
  put(member("statistics"), statistics_object(solution.statistics()));
  put(member("events"), "[");
  for (std::size_t i = 0; i < solution.events().size(); ++i) {
    put(text, i == 0 ? "{" : ",{");
    Members event(text);
    put_string(event("name"), solution.events()[i].name);
    put_value(event("t"), solution.events()[i].t);
    put(text, "}");
  }
  put(text, "]");
  put_list(member("warnings"), solution.warnings());
  put_trajectory(member("trajectory"), solution.variables(), samples);
  put(text, ",");
  put(text, run_members(problem, solution, file, samples, frames));
  put(text, "}\n");
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace daedalus
