// SPDX-License-Identifier: BSD-3-Clause
// Everything needed to write a differentiable callable.
#pragma once

#include <daedalus/dual.hpp>
#include <daedalus/function.hpp>
#include <daedalus/taylor.hpp>
