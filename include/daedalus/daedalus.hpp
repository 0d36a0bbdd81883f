// SPDX-License-Identifier: BSD-3-Clause
// Daedalus: differential-algebraic equations and constrained mechanical systems.
#pragma once

#include <daedalus/analysis.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/checkpoint.hpp>
#include <daedalus/checkpoint_file.hpp>
#include <daedalus/event.hpp>
#include <daedalus/formulation.hpp>
#include <daedalus/function.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/krylov.hpp>
#include <daedalus/long_run.hpp>
#include <daedalus/method.hpp>
#include <daedalus/options.hpp>
#include <daedalus/perturbation.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/sensitivity.hpp>
#include <daedalus/solution.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/space.hpp>
#include <daedalus/status.hpp>
#include <daedalus/trajectory_file.hpp>
#include <daedalus/types.hpp>
