#include "formulation/multibody_map.hpp"

namespace daedalus {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

MultibodyMap::MultibodyMap(Mechanics& mechanics, int level, bool linear)
    : mechanics_(mechanics), level_(level), linear_(linear) {
  const MechanicalSizes& n = mechanics.sizes();
  rows_ = n.tangents + n.velocities + n.dynamic + n.contact + n.multipliers() +
          (linear ? n.velocities : 0);
}

// With the first evaluation: the structure of G is known by then, and the mechanical view, where
// systems are large, never evaluates the map.
template <class S>
void MultibodyMap::reserve(Work<S>& work) const {
  const MechanicalSizes& n = mechanics_.sizes();
  std::size_t entries = 0;
  mechanics_.for_constraint_entries([&](int, int, std::size_t) { ++entries; });
  work.M.resize(mechanics_.mass_structure().values().size());
  work.f.resize(at(n.velocities));
  work.G.resize(entries);
  work.offset.resize(at(n.multipliers()));
}

template <class S>
Eval MultibodyMap::eval(const S& t, const S* x, const S* xd, S* r) {
  const MechanicalSizes& n = mechanics_.sizes();
  auto& w = std::get<Work<S>>(work_);
  if (w.f.empty() || w.sparse != mechanics_.sparse_constraints()) {
    w.sparse = mechanics_.sparse_constraints();
    reserve(w);
  }
  PointOf<S> p;
  p.t = t;
  p.q = x;
  p.v = p.q + n.positions;
  p.c = p.v + n.velocities;
  p.s = p.c + n.dynamic;
  p.lambda = p.s + n.contact;
  const int nl = n.multipliers();
  const S* rates = linear_ ? p.lambda + nl : xd + n.tangents;  // v'
  S* row_q = r;
  S* row_v = row_q + n.tangents;
  S* row_c = row_v + n.velocities;
  S* row_s = row_c + n.dynamic;
  S* row_lambda = row_s + n.contact;
  S* row_force = linear_ ? row_lambda + nl : row_v;

#define DAEDALUS_TRY(call) \
  if (const Eval e = (call); e != Eval::ok) return e
  DAEDALUS_TRY(mechanics_.rate(p, row_q));
  DAEDALUS_TRY(mechanics_.dynamics(p, row_c));
  DAEDALUS_TRY(mechanics_.contact(p, row_s));
  DAEDALUS_TRY(mechanics_.mass(p, w.M.data()));
  DAEDALUS_TRY(mechanics_.force(p, w.f.data()));
  if (nl > 0) DAEDALUS_TRY(mechanics_.constraint_matrix(p, w.G.data()));
  const double sign = linear_ ? -1.0 : 1.0;
  for (int i = 0; i < n.velocities; ++i) w.f[at(i)] = -w.f[at(i)];
  mechanics_.mass_structure().for_each_position(
      [&](int i, int j, std::size_t e) { w.f[at(i)] = w.f[at(i)] + w.M[e] * rates[j]; });
  mechanics_.for_constraint_entries(
      [&](int k, int i, std::size_t e) { w.f[at(i)] = w.f[at(i)] + w.G[e] * p.lambda[k]; });
  for (int i = 0; i < n.velocities; ++i) row_force[i] = sign * w.f[at(i)];
  if (linear_) {
    for (int i = 0; i < n.velocities; ++i) row_v[i] = rates[i];
  } else {
    for (int i = 0; i < n.tangents; ++i) row_q[i] = xd[i] - row_q[i];
    for (int i = 0; i < n.dynamic; ++i) row_c[i] = xd[n.tangents + n.velocities + i] - row_c[i];
  }
  if (nl == 0) return Eval::ok;
  if (level_ == 1) {
    DAEDALUS_TRY(mechanics_.acceleration_term(p, w.offset.data()));
  } else if (level_ == 2 || n.nonholonomic > 0) {
    DAEDALUS_TRY(mechanics_.velocity_offset(p, w.offset.data()));
  }
  const S* times = level_ == 1 ? rates : p.v;
  // At level 3 nonholonomic rows stay at velocity level; the others are replaced below.
  if (level_ < 3 || n.nonholonomic > 0) {
    std::copy(w.offset.begin(), w.offset.end(), row_lambda);
    mechanics_.for_constraint_entries(
        [&](int k, int j, std::size_t e) { row_lambda[k] = row_lambda[k] + w.G[e] * times[j]; });
  }
  if (level_ == 3) DAEDALUS_TRY(mechanics_.constraint(p, row_lambda));
#undef DAEDALUS_TRY
  return Eval::ok;
}

template Eval MultibodyMap::eval<double>(const double&, const double*, const double*, double*);
template Eval MultibodyMap::eval<Dual4>(const Dual4&, const Dual4*, const Dual4*, Dual4*);

}  // namespace daedalus
