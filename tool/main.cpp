// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "tool/run.hpp"

int main(int argc, char** argv) { return daedalus::cli::run(argc, argv, std::cout, std::cerr); }
