// std::sin by its full name in a differentiable callable.
#include <daedalus/autodiff.hpp>

daedalus::Function<daedalus::slot::StateVector> f() {
  return daedalus::autodiff([](const auto& t, const auto& y, auto& out) {
#ifdef RIGHT
    using std::sin, std::pow, std::hypot;
    out[0] = sin(t) * y[0];
    out[1] = -2.0 * sin(y[1]) + pow(y[0], 3L) + hypot(y[0], 1.0f);
#else
    out[0] = std::sin(t) * y[0];
    out[1] = -2.0 * std::sin(y[1]) + std::pow(y[0], 3) + std::hypot(y[0], 1.0);
#endif
  });
}
