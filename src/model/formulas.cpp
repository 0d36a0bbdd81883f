// SPDX-License-Identifier: BSD-3-Clause
#include "model/formulas.hpp"

namespace daedalus {

Formulas::Formulas(graph::Graph& graph, const graph::Outputs& outputs,
                   const FormulaSettings& settings)
    : settings_(settings), places_(settings.kinds), generic_(graph, outputs) {
  for (graph::InputKind& kind : places_)
    if (kind == no_kind) kind = graph::InputKind::parameter;
  if (!settings.machine_code || !graph::MachineCode::available()) return;
  for_code_ = graph::Program(graph, outputs, graph::MachineCode::program_options());
  code_ = graph::MachineCode::compile(for_code_);
}

template <class S>
void Formulas::run(const Arguments<S>& a, S* out) const {
  const graph::Point<S> x = point(a);
  int failed = -1;
  if constexpr (std::is_same_v<S, double>) {
    if (code_)
      failed = pool<double>().with(
          for_code_, [&](auto& workspace) { return code_->run(for_code_, workspace, x, out); });
  }
  if (!std::is_same_v<S, double> || !code_)
    failed =
        pool<S>().with(generic_, [&](auto& workspace) { return workspace.run(generic_, x, out); });
  if (failed >= 0) throw Reject(generic_.message(failed));
}

template void Formulas::run(const Arguments<double>&, double*) const;
template void Formulas::run(const Arguments<Dual4>&, Dual4*) const;
template void Formulas::run(const Arguments<Taylor2>&, Taylor2*) const;
template void Formulas::run(const Arguments<Taylor2Dual>&, Taylor2Dual*) const;

}  // namespace daedalus
