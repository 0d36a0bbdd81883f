// SPDX-License-Identifier: BSD-3-Clause
// What the amplifiers of Steinebach (1988), section 9.2, share with the published transistor
// amplifier: the circuit; they differ in the input voltage and the start values.
#pragma once

#include <string>

#include <catalogue/support.hpp>

namespace daedalus::problems {

// The circuit at rest with the input voltage Ue: f(U) = 0.
Eigen::VectorXd amplifier_at_rest(const Values& values, double Ue);

// The node equations with the input amplitude sin(2 pi frequency t).
MassMatrixProblem amplifier_with_sine(const std::string& name, const Values& values);
// The same with the constant input `amplitude`.
MassMatrixProblem amplifier_with_constant_input(const std::string& name, const Values& values);

// Names, form, parameters and equations; `input` is the text of Ue(t).
Entry amplifier_entry(const std::string& name, const std::string& title, const std::string& input);

}  // namespace daedalus::problems
