// SPDX-License-Identifier: BSD-3-Clause
// Parameter sets of the correction term of BLieDF: Wieloch (2022), (3.40), (3.42), (3.43) and
// (6.7)-(6.10).
#include <daedalus/lie/multistep.hpp>
#include <daedalus/types.hpp>

namespace daedalus::lie {

namespace {

struct Entry {
  char kind;  // a or b
  int i, j;
  long double value;
};

// (3.40a)
constexpr Entry k3_default[] = {
    {'a', 1, 1, 1.0L / 12}, {'a', 1, 2, 3.0L / 2}, {'a', 2, 2, -2.0}, {'a', 3, 2, 1.0L / 2}};
// (3.40b)
constexpr Entry k4_default[] = {{'a', 1, 1, 1.0L / 12},
                                {'a', 1, 2, 7.0L / 4},
                                {'a', 2, 2, -7.0L / 4},
                                {'a', 3, 2, -3.0L / 4},
                                {'a', 4, 2, 3.0L / 4}};
// (3.42)
constexpr Entry k5_default[] = {{'a', 1, 1, 4927.0L / 2943},
                                {'a', 2, 1, -3109.0L / 2943},
                                {'a', 3, 1, 16.0L / 327},
                                {'a', 1, 2, 3161.0L / 675},
                                {'a', 2, 2, -1417.0L / 1350},
                                {'a', 1, 3, -14.0L / 75},
                                {'a', 2, 3, 53.0L / 300},
                                {'b', 2, 1, 1.0},
                                {'b', 2, 4, 1.0}};
// (3.43)
constexpr Entry k6_default[] = {{'a', 1, 1, 902305.0L / 74412},
                                {'a', 2, 1, -2080379.0L / 37206},
                                {'a', 3, 1, 555107.0L / 6201},
                                {'a', 4, 1, -43513.0L / 702},
                                {'a', 5, 1, 1175851.0L / 74412},
                                {'a', 1, 2, -617837.0L / 391500},
                                {'a', 2, 2, -745049.0L / 391500},
                                {'a', 3, 2, 31637.0L / 195750},
                                {'a', 1, 3, 8473853415487.0L / 267658590240000},
                                {'a', 2, 3, -7972785567043.0L / 267658590240000},
                                {'a', 1, 4, 17588486133607200.0L / 103646212371559},
                                {'a', 1, 5, 1039128.0L / 14053},
                                {'a', 2, 6, -706805.0L / 1039128},
                                {'b', 2, 1, -89.0L / 53},
                                {'b', 3, 1, 1.0},
                                {'b', 2, 2, 432619.0L / 130500},
                                {'b', 2, 3, -236562797.0L / 210423420000},
                                {'b', 2, 4, -13202850459341111.0L / 103646212371559},
                                {'b', 3, 4, -443096.0L / 14053},
                                {'b', 4, 4, 1.0},
                                {'b', 2, 6, 1.0}};
// (6.7)
constexpr Entry k3_explicit_tuned[] = {
    {'a', 1, 1, -1.37872190956776}, {'a', 2, 1, -2.95414965850481},  {'a', 3, 1, -4.46630667652555},
    {'a', 1, 2, 6.43118898334207},  {'a', 2, 2, -0.251965339229852}, {'a', 3, 2, 6.04133559544059},
    {'b', 2, 1, 4.86465799288703},  {'b', 3, 1, 4.01785358504442},   {'b', 2, 2, -5.50013300767788},
    {'b', 3, 2, -6.72042623187493}};
// (6.8)
constexpr Entry k3_implicit_tuned[] = {
    {'a', 0, 1, 5.24281797269331},  {'a', 1, 1, 2.80233526987551},  {'a', 2, 1, -3.85724425749725},
    {'a', 3, 1, 3.30539890486575},  {'a', 0, 2, 0.501916816184551}, {'a', 1, 2, -3.37875139908466},
    {'a', 2, 2, -1.13188143412463}, {'a', 3, 2, 6.44554348846025},  {'b', 1, 1, -3.61957377496834},
    {'b', 2, 1, 0.108068150385785}, {'b', 3, 1, -3.89846893202143}, {'b', 1, 2, 3.14090074432045},
    {'b', 2, 2, 2.32024603081716},  {'b', 3, 2, -7.89797424657311}};
// (6.9)
constexpr Entry k4_explicit_tuned[] = {
    {'a', 1, 1, -1.67876614106032},  {'a', 2, 1, 3.07122613520328},
    {'a', 3, 1, -2.50907130087646},  {'a', 4, 1, 3.6629926224258114},
    {'a', 1, 2, 6.9760443494959},    {'a', 2, 2, -8.18750698866965},
    {'a', 3, 2, 2.21000229945281},   {'a', 4, 2, -0.9985396602790595},
    {'b', 2, 1, -3.36166983338703},  {'b', 3, 1, 9.60778111160441},
    {'b', 4, 1, -8.709159260576358}, {'b', 2, 2, -6.35906537451745},
    {'b', 3, 2, 6.95500937843368},   {'b', 4, 2, -0.5959440039162303}};
// (6.10)
constexpr Entry k4_implicit_tuned[] = {
    {'a', 0, 1, 5.5259797909541},    {'a', 1, 1, -5.74722666327503},
    {'a', 2, 1, 4.27407568275581},   {'a', 3, 1, 2.67226789875473},
    {'a', 4, 1, -3.218075449881381}, {'a', 0, 2, 5.9482882956157},
    {'a', 1, 2, -8.19039669944764},  {'a', 2, 2, 3.70086989589663},
    {'a', 3, 2, -2.16080421168301},  {'a', 4, 2, 0.7020427196183192},
    {'b', 1, 1, -2.62867609640801},  {'b', 2, 1, -3.31210875450453},
    {'b', 3, 1, 0.389431322962876},  {'b', 4, 1, 2.1276656019747673},
    {'b', 1, 2, -3.00106876837373},  {'b', 2, 2, -0.584753934011666},
    {'b', 3, 2, 6.70981550891437},   {'b', 4, 2, -3.123992806528974}};

template <std::size_t N>
CorrectionSet filled(int k, const Entry (&entries)[N]) {
  CorrectionSet set;
  set.k = k;
  for (const Entry& e : entries)
    (e.kind == 'a' ? set.a : set.b)[e.i][e.j] = static_cast<double>(e.value);
  return set;
}

}  // namespace

std::vector<std::string> correction_set_names(int k) {
  if (k < 1 || k > 6) throw InvalidArgument("k: " + std::to_string(k) + "; allowed are 1..6");
  if (k == 3 || k == 4) return {"default", "tuned-explicit", "tuned-implicit", "none"};
  return {"default", "none"};
}

CorrectionSet correction_set(int k, std::string_view name) {
  std::string allowed;
  bool known = false;
  for (const std::string& one : correction_set_names(k)) {
    known = known || one == name;
    allowed += (allowed.empty() ? "" : ", ") + one;
  }
  if (!known)
    throw InvalidArgument("correction set: '" + std::string(name) +
                          "' for k = " + std::to_string(k) + "; allowed are " + allowed);
  CorrectionSet empty;
  empty.k = k;
  if (k < 3 || name == "none") return empty;
  if (name == "tuned-explicit")
    return k == 3 ? filled(3, k3_explicit_tuned) : filled(4, k4_explicit_tuned);
  if (name == "tuned-implicit")
    return k == 3 ? filled(3, k3_implicit_tuned) : filled(4, k4_implicit_tuned);
  return k == 3   ? filled(3, k3_default)
         : k == 4 ? filled(4, k4_default)
         : k == 5 ? filled(5, k5_default)
                  : filled(6, k6_default);
}

}  // namespace daedalus::lie
