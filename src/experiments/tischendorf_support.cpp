#include "experiments/tischendorf_support.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "formulation/lower.hpp"

namespace daedalus::experiments::tischendorf {

const problems::Entry& entry(const std::string& name) {
  const problems::Entry* e = problems::find_problem(name);
  if (e == nullptr) throw InvalidArgument("no problem '" + name + "' in the catalogue");
  return *e;
}

Problem catalogue_problem(const std::string& name, const problems::Values& values) {
  return entry(name).problem(values);
}

Eigen::VectorXd exact_at(const std::string& problem, double t, const problems::Values& values) {
  const auto all = entry(problem).exact(t, values);
  Eigen::VectorXd x(static_cast<Eigen::Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) x[static_cast<Eigen::Index>(i)] = all[i].second;
  return x;
}

Claim list_claim(std::string id, std::string claim, Json expected, Json measured, Json tolerance,
                 bool holds, std::string remark) {
  return {.id = std::move(id),
          .claim = std::move(claim),
          .expected = std::move(expected),
          .measured = std::move(measured),
          .tolerance = std::move(tolerance),
          .verdict = holds ? Verdict::confirmed : Verdict::deviates,
          .holds = holds,
          .remark = std::move(remark)};
}

bool within(double measured, double expected, double factor) {
  return measured >= expected / factor && measured <= expected * factor;
}

Claim factor_claim(std::string id, std::string claim, double expected, double measured,
                   double factor, std::string remark) {
  return list_claim(std::move(id), std::move(claim), expected, measured, Json{{"factor", factor}},
                    within(measured, expected, factor), std::move(remark));
}

Claim with_remark(Claim claim, std::string remark) {
  claim.remark = std::move(remark);
  return claim;
}

// SplitMix64 (Steele, Lea, Flood 2014).
double uniform(long step) {
  std::uint64_t z = static_cast<std::uint64_t>(step) * 0x9e3779b97f4a7c15ULL + 1992;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

double slope(const std::vector<double>& h, const std::vector<double>& e) {
  const double n = static_cast<double>(h.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(e[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Options constant_steps(int k, double h, std::function<void(double t, Out y)> exact) {
  Options o;
  o.method = "bdf";
  o.rtol = 1e-11;
  o.atol = 1e-11;
  o.fixed_step = h;
  o.start = StartStrategy::given;
  o.method_options["order"] = k;
  o.method_options["newton_tolerance"] = 1e-2;
  o.known = [exact = std::move(exact)](double t, Out y) {
    exact(t, y);
    return true;
  };
  return o;
}

Lowered lowered(Problem problem, double t0) {
  Lowered l;
  l.problem = std::make_shared<const Problem>(std::move(problem));
  l.system = lower(l.problem, "", View::residual, {}, t0);
  l.system->prepare(model_start(*l.system, *l.problem, t0));
  return l;
}

}  // namespace daedalus::experiments::tischendorf
