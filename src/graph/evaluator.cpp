// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/graph_evaluator.hpp>

#include <daedalus/types.hpp>

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"

namespace daedalus::graph {

struct Evaluator::Body {
  Program program;
  std::shared_ptr<const MachineCode> code;
  Workspace<double> workspace;
  Point<double> point;
  std::string message;
};

namespace {

// By kind how many inputs a program reads.
std::vector<int> lengths(const Program& program) {
  std::vector<int> length(static_cast<std::size_t>(input_kinds), 0);
  const auto see = [&](InputKind kind, int count) {
    int& l = length[static_cast<std::size_t>(kind)];
    l = std::max(l, count);
  };
  for (int s = 0; s < stage_count; ++s)
    for (const Program::Load& l : program.loads(s)) see(l.kind, l.first + l.count);
  for (const MapProgram& m : program.maps())
    for (const auto& a : m.arguments)
      if (a.source == MapArgument::Source::input) see(a.kind, a.length);
  return length;
}

}  // namespace

Evaluator::Evaluator(Graph& graph, const Outputs& outputs, EvaluatorOptions options)
    : body_(std::make_unique<Body>()) {
  outputs.check(graph);
  const Outputs lowered = lower(graph, outputs);
  if (options.machine_code && MachineCode::available()) {
    body_->program = Program(graph, lowered, MachineCode::program_options());
    body_->code = MachineCode::compile(body_->program);
  }
  if (!body_->code) body_->program = Program(graph, lowered);
  body_->workspace = Workspace<double>(body_->program);
}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

int Evaluator::output_count() const { return body_->program.output_count(); }
bool Evaluator::uses_machine_code() const { return body_->code != nullptr; }
const std::string& Evaluator::message() const { return body_->message; }

void Evaluator::set(InputKind kind, std::span<const double> values) {
  const int wanted = lengths(body_->program)[static_cast<std::size_t>(kind)];
  if (static_cast<int>(values.size()) < wanted)
    throw InvalidArgument("inputs of kind '" + std::string(name_of(kind)) +
                          "': " + std::to_string(values.size()) +
                          " values, but the expressions use " + std::to_string(wanted));
  if (kind == InputKind::mode)
    body_->point.modes = values.data();
  else if (kind == InputKind::previous)
    body_->point.previous = values.data();
  else
    body_->point[kind] = values.data();
}

bool Evaluator::run(std::span<double> out) {
  Body& b = *body_;
  const int failed = b.code ? b.code->run(b.program, b.workspace, b.point, out.data())
                            : b.workspace.run(b.program, b.point, out.data());
  if (failed < 0) return true;
  b.message = b.program.message(failed);
  return false;
}

Jacobian differentiate(Graph& graph, const Outputs& outputs, InputKind kind, int columns) {
  outputs.check(graph);
  return jacobian(graph, lower(graph, outputs), kind, columns);
}

}  // namespace daedalus::graph
