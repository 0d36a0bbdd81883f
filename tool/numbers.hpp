// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people write them on a command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace daedalus::cli {

// All throw InvalidArgument that names the option. A number may be a power or a quotient:
// 2^-3, 0.2/8000.
double parse_number(const std::string& option, const std::string& text);
std::vector<double> parse_list(const std::string& option, const std::string& text);  // a,b,c
// A whole number in any of these forms, 1e6 and 2^10 as well.
long parse_whole(const std::string& option, const std::string& text, long min, long max);
std::string brief_whole(long value);  // 2, 4096, 1e8
// a,b,c or FROM:TO, halved from the larger to the smaller; positive.
std::vector<double> parse_steps(const std::string& option, const std::string& text);
std::pair<std::string, double> parse_assignment(const std::string& option,
                                                const std::string& text);  // name=value
// The same, the value as it was written.
std::pair<std::string, std::string> split_assignment(const std::string& option,
                                                     const std::string& text);
std::vector<std::string> split(const std::string& text, char separator);

// Six significant digits and no more zeros than needed, for people: 0.5, 1e-6, 1e11.
std::string brief(double value);
std::string brief_time(double seconds);  // 3.2 ms, 1.4 s, 2 min 5 s

}  // namespace daedalus::cli
