// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/fit_json.hpp"

namespace daedalus::estimation {
namespace {

using json::Json;
using json::number;
using json::numbers;
using json::text_or_null;

Json vector_of(const Eigen::VectorXd& v) { return numbers({v.data(), v.data() + v.size()}); }

Json matrix_of(const Eigen::MatrixXd& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) rows.push_back(vector_of(m.row(i)));
  return rows;
}

Json interval_of(const ParameterEstimate& e) {
  return Json::array({number(e.interval[0]), number(e.interval[1])});
}

Json parameters_of(const FitResult& r) {
  Json list = Json::object();
  for (const ParameterEstimate& e : r.estimates)
    list[e.name] = Json{{"value", number(e.value)},
                        {"lower", number(e.lower)},
                        {"upper", number(e.upper)},
                        {"standard_error", number(e.sd)},
                        {"confidence", interval_of(e)}};
  return list;
}

Json estimates_of(const FitResult& r) {
  Json list = Json::object();
  for (const ParameterEstimate& e : r.estimates)
    list[e.name] = Json{{"value", number(e.value)},
                        {"start", number(e.start)},
                        {"lower", number(e.lower)},
                        {"upper", number(e.upper)},
                        {"log", e.log},
                        {"sd", number(e.sd)},
                        {"interval", interval_of(e)},
                        {"at_bound", e.at_bound}};
  return list;
}

Json undetermined_of(const FitResult& r) {
  Json list = Json::array();
  for (const Undetermined& u : r.undetermined)
    list.push_back(Json{{"combination", u.combination},
                        {"sentence", u.sentence},
                        {"vector", vector_of(u.vector)},
                        {"relative_singular_value", number(u.relative)}});
  return list;
}

Json starts_of(const FitResult& r) {
  Json list = Json::array();
  for (const FitStart& s : r.starts)
    list.push_back(Json{{"start", numbers(s.start)},
                        {"end", numbers(s.end)},
                        {"cost", number(s.cost)},
                        {"status", std::string(to_string(s.status))},
                        {"message", text_or_null(s.message)},
                        {"iterations", s.iterations},
                        {"best", s.best},
                        {"costs", numbers(s.costs)}});
  return list;
}

Json experiments_of(const FitResult& r) {
  Json list = Json::array();
  for (const FittedExperiment& e : r.experiments) {
    Json residuals = Json::object(), outputs = Json::array(), parameters = Json::object();
    for (const auto& [name, value] : e.parameters) parameters[name] = number(value);
    for (const FittedOutput& o : e.outputs) {
      residuals[o.name] = numbers(o.residual);
      outputs.push_back(Json{{"name", o.name},
                             {"t", numbers(o.t)},
                             {"value", numbers(o.value)},
                             {"sigma", numbers(o.sigma)},
                             {"model", numbers(o.model)},
                             {"curve_t", numbers(o.curve_t)},
                             {"curve", numbers(o.curve)},
                             {"band", numbers(o.band)}});
    }
    list.push_back(Json{{"name", e.name},
                        {"file", text_or_null(e.file)},
                        {"parameters", std::move(parameters)},
                        {"residuals", std::move(residuals)},
                        {"rms", number(e.rms)},
                        {"outputs", std::move(outputs)}});
  }
  return list;
}

}  // namespace

Json describe_fit(const FitResult& r) {
  const std::string status(to_string(r.status));
  Json warnings = Json::array();
  for (const std::string& w : r.warnings) warnings.push_back(w);
  Json json{{"status", status},
            {"message", text_or_null(r.message)},
            {"parameters", parameters_of(r)},
            {"correlation", matrix_of(r.correlation)},
            {"undetermined", undetermined_of(r)},
            {"residual_norm", number(r.residual_norm)},
            {"runs", r.runs},
            {"failed_runs", r.failed_runs},
            {"warnings", warnings}};
  json["fit"] = Json{{"status", status},
                     {"message", text_or_null(r.message)},
                     {"cost", number(r.cost)},
                     {"points", r.points},
                     {"degrees_of_freedom", r.degrees_of_freedom},
                     {"variance", number(r.variance)},
                     {"sigma_known", r.sigma_known},
                     {"derivative", text_or_null(r.derivative)},
                     {"estimates", estimates_of(r)},
                     {"correlation", json["correlation"]},
                     {"singular_values", vector_of(r.singular_values)},
                     {"undetermined", json["undetermined"]},
                     {"starts", starts_of(r)},
                     {"reached_best", r.reached_best},
                     {"experiments", experiments_of(r)},
                     {"evaluations", r.evaluations},
                     {"known_evaluations", r.known_evaluations},
                     {"failed_trials", r.failed_trials},
                     {"seconds", number(r.seconds)}};
  return json;
}

}  // namespace daedalus::estimation
