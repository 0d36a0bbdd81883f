// SPDX-License-Identifier: BSD-3-Clause
// Parameters from data. The result comes as JSON, the document of the tool.
#include <daedalus/fit.hpp>

#include "bindings.hpp"
#include "entries.hpp"
#include "estimation/fit_json.hpp"

namespace daedalus::python {
namespace {

// {"file": ..., "set": {...}} or {"name": ..., "t": [...], "columns": {name: [...]}, ...}
Experiment experiment_from(const py::dict& d, const DataOptions& shared) {
  DataOptions options = shared;
  if (d.contains("set")) options.set = d["set"].cast<Values>();
  if (d.contains("file")) return read_experiment(d["file"].cast<std::string>(), options);
  Experiment e{.name = d["name"].cast<std::string>(), .set = options.set};
  e.t = d["t"].cast<std::vector<double>>();
  const auto sigmas = d["sigma"].cast<std::map<std::string, std::vector<double>>>();
  for (const auto& [name, values] :
       d["columns"].cast<std::map<std::string, std::vector<double>>>()) {
    Measurement m{.name = name, .value = values};
    if (const auto s = sigmas.find(name); s != sigmas.end())
      m.sigma = s->second;
    else if (const auto one = options.sigma.find(name); one != options.sigma.end())
      m.sigma = {one->second};
    e.outputs.push_back(std::move(m));
  }
  return e;
}

Loss loss_from(const std::string& name) {
  for (const Loss loss : {Loss::linear, Loss::huber, Loss::soft_l1, Loss::cauchy})
    if (to_string(loss) == name) return loss;
  throw InvalidArgument("loss: '" + name +
                        "' is given; allowed are linear, huber, soft-l1, cauchy");
}

Entry model_from(const py::handle& model, double t0, double t1) {
  if (py::isinstance<NativeEntry>(model)) return *model.cast<const NativeEntry&>().entry;
  return fit_model(model.cast<const NativeProblem&>().problem, {t0, t1});
}

std::string fit_json(const py::object& model, const py::dict& how, const py::dict& options) {
  Fit fit{.model = model_from(model, how["t0"].cast<double>(), how["t1"].cast<double>())};
  fit.set = how["set"].cast<Values>();
  const DataOptions shared{.sigma = how["sigma"].cast<std::map<std::string, double>>(),
                           .scale = how["scale"].cast<std::map<std::string, double>>(),
                           .ignore = how["ignore"].cast<std::vector<std::string>>(),
                           .shared_names = true};
  for (const py::handle d : how["experiments"])
    fit.experiments.push_back(experiment_from(d.cast<py::dict>(), shared));
  for (const py::handle f : how["free"]) fit.free.push_back(parse_free(f.cast<std::string>()));
  fit.loss = loss_from(how["loss"].cast<std::string>());
  fit.loss_scale = how["loss_scale"].cast<double>();
  fit.sigma_known = how["sigma_known"].cast<std::optional<bool>>();
  fit.confidence = how["confidence"].cast<double>();
  fit.starts = how["starts"].cast<int>();
  fit.seed = how["seed"].cast<unsigned>();
  fit.threads = how["threads"].cast<int>();
  fit.curve_points = how["curve_points"].cast<int>();
  fit.journal = how["journal"].cast<std::string>();
  fit.options = options_from(options);
  fit.options.events.clear();  // those of the model come with each run
  fit.cancel = fit.options.cancel;
  const py::gil_scoped_release release;
  return json::line(estimation::describe_fit(daedalus::fit(fit)));
}

}  // namespace

void add_fits(py::module_& m) {
  m.def("fit", fit_json, py::arg("model"), py::arg("how"), py::arg("options"));
  m.def("can_fit", can_fit);
}

}  // namespace daedalus::python
