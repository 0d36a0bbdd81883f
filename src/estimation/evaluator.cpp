// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/evaluator.hpp"

#include <fmt/format.h>

#include <daedalus/trajectory_file.hpp>

#include "io/content_hash.hpp"

namespace daedalus::estimation {
namespace {

using json::Json;

const char* name_of(Accuracy accuracy) {
  return accuracy == Accuracy::screening ? "screening" : "full";
}

// What decides about the numbers of an evaluation and about which points are evaluated.
Json identity_of(const FitTask& task) {
  const Fit& fit = task.fit;
  std::string data;
  for (const ExperimentTask& e : task.experiments) {
    for (const auto& [name, value] : e.values) data += fmt::format("{}={};", name, value);
    for (const Datum& d : e.data)
      data +=
          fmt::format("{} {} {} {};", e.times[d.time], e.outputs[d.output].name, d.value, d.sigma);
  }
  Json free = Json::array();
  for (const Quantity& q : task.free)
    free.push_back(
        fmt::format("{}={}..{}@{}{}", q.name, q.lower, q.upper, q.start, q.log ? ":log" : ""));
  std::string model = fit.model.name + "\n" + fit.model.equations;
  for (const Parameter& p : fit.model.parameters) model += fmt::format("\n{}={}", p.name, p.value);
  const Eigen::VectorXd atol = fit.options.atol.values();
  return Json{{"model", fit.model.name},
              {"model_hash", files::ContentHash::of(model)},
              {"data_hash", files::ContentHash::of(data)},
              {"free", std::move(free)},
              {"loss", std::string(to_string(fit.loss))},
              {"loss_scale", fit.loss_scale},
              {"starts", fit.starts},
              {"seed", fit.seed},
              {"method", fit.options.method},
              {"formulation", fit.options.formulation},
              {"rtol", fit.options.rtol},
              {"atol", std::vector<double>(atol.data(), atol.data() + atol.size())},
              {"t0", fit.model.t0}};
}

Json to_json(const Evaluation& e, Accuracy accuracy, const std::vector<double>& u,
             std::size_t line) {
  const auto list = [](const auto& v) {
    return std::vector<double>(v.data(), v.data() + v.size());
  };
  Json json{{"evaluation", line}, {"accuracy", name_of(accuracy)}, {"u", u},
            {"ok", e.ok},         {"message", e.message},          {"runs", e.runs},
            {"failed", e.failed}};
  if (!e.ok) return json;
  json["derivative"] = e.derivative;
  json["residuals"] = list(e.residuals);
  if (e.with_columns) json["columns"] = list(e.jacobian);
  return json;
}

Evaluation from_json(const Json& json, Eigen::Index points, Eigen::Index free) {
  Evaluation e;
  e.ok = json.at("ok").get<bool>();
  e.message = json.at("message").get<std::string>();
  e.runs = json.at("runs").get<long>();
  e.failed = json.at("failed").get<long>();
  if (!e.ok) return e;
  e.derivative = json.at("derivative").get<std::string>();
  const auto residuals = json.at("residuals").get<std::vector<double>>();
  if (static_cast<Eigen::Index>(residuals.size()) != points)
    throw FileError("the residuals are others");
  e.residuals = Eigen::Map<const Eigen::VectorXd>(residuals.data(), points);
  e.with_columns = json.contains("columns");
  if (!e.with_columns) return e;
  const auto columns = json.at("columns").get<std::vector<double>>();
  if (static_cast<Eigen::Index>(columns.size()) != points * free)
    throw FileError("the columns are others");
  e.jacobian = Eigen::Map<const Eigen::MatrixXd>(columns.data(), points, free);
  return e;
}

}  // namespace

Evaluator::Evaluator(const FitTask& task) : task_(task) {
  const std::string& path = task.fit.journal;
  if (path.empty()) return;
  journal_ = std::make_unique<Journal>(path, identity_of(task), JournalKind{"fit", "evaluation"});
  for (const Json& json : journal_->finished()) {
    try {
      const Accuracy accuracy =
          json.at("accuracy") == "screening" ? Accuracy::screening : Accuracy::full;
      Evaluation e = from_json(json, static_cast<Eigen::Index>(task.points),
                               static_cast<Eigen::Index>(task.free.size()));
      Evaluation& known = known_[{accuracy, json.at("u").get<std::vector<double>>()}];
      // A point may be there twice, the second time with its columns.
      if (!known.with_columns) known = std::move(e);
    } catch (const FileError& error) {
      throw FileError(
          fmt::format("'{}' has an evaluation that is none of this fit: {}", path, error.what()));
    } catch (const Json::exception&) {  // in words of its own
      throw FileError(fmt::format(
          "'{}' has an evaluation that is none of this fit: a field is missing or of another type",
          path));
    }
    ++lines_;
  }
}

void Evaluator::count(const Evaluation& made, bool known) {
  ++counts_.evaluations;
  counts_.known += known ? 1 : 0;
  counts_.runs += made.runs;
  counts_.failed_runs += made.failed;
}

void Evaluator::keep(const Key& key, const Evaluation& made) {
  if (journal_) journal_->add(to_json(made, key.first, key.second, lines_++));
}

Evaluation Evaluator::evaluate(const Eigen::VectorXd& u, bool with_columns, Accuracy accuracy,
                               std::size_t threads) {
  const Key key{accuracy, {u.data(), u.data() + u.size()}};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end() &&
        (found->second.with_columns || !with_columns || !found->second.ok)) {
      count(found->second, true);
      return found->second;
    }
  }
  Evaluation made = task_.evaluate(u, with_columns, accuracy, threads);
  const std::lock_guard lock(mutex_);
  count(made, false);
  // What ended because of Ctrl-C is no property of the point.
  if (!made.ok && task_.cancelled()) return made;
  keep(key, made);
  return made;
}

EvaluationCounts Evaluator::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace daedalus::estimation
