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
  std::apply(
      [&](auto&... w) {
        const auto reserve = [&](auto& work) {
          work.M.resize(at(n.velocities * n.velocities));
          work.f.resize(at(n.velocities));
          work.G.resize(at(n.multipliers() * n.velocities));
          work.offset.resize(at(n.multipliers()));
          work.contact.resize(at(n.contact));
        };
        (reserve(w), ...);
      },
      work_);
}

template <class S>
Eval MultibodyMap::eval(const S& t, const S* x, const S* xd, S* r) {
  const MechanicalSizes& n = mechanics_.sizes();
  auto& w = std::get<Work<S>>(work_);
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
  for (int i = 0; i < n.velocities; ++i) {
    S sum = -w.f[at(i)];
    for (int j = 0; j < n.velocities; ++j) sum = sum + w.M[at(i + j * n.velocities)] * rates[j];
    for (int k = 0; k < nl; ++k) sum = sum + w.G[at(k + i * nl)] * p.lambda[k];
    row_force[i] = sign * sum;
  }
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
  const int first = level_ == 3 ? n.holonomic : 0;  // nonholonomic rows stay at velocity level
  for (int k = first; k < nl; ++k) {
    S sum = w.offset[at(k)];
    for (int j = 0; j < n.velocities; ++j) sum = sum + w.G[at(k + j * nl)] * times[j];
    row_lambda[k] = sum;
  }
  if (level_ == 3) DAEDALUS_TRY(mechanics_.constraint(p, row_lambda));
#undef DAEDALUS_TRY
  return Eval::ok;
}

template Eval MultibodyMap::eval<double>(const double&, const double*, const double*, double*);
template Eval MultibodyMap::eval<Dual4>(const Dual4&, const Dual4*, const Dual4*, Dual4*);

}  // namespace daedalus
