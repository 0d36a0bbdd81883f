// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/batch.hpp"

#include <limits>

#include "kernel/at.hpp"

namespace daedalus::gpu {

Batch::Batch(const Columns& columns, std::size_t capacity)
    : columns_(columns), capacity_(capacity) {}

void Batch::begin(std::size_t count) { count_ = count; }

double* Batch::given(int k) { return number(columns_.numbers) + offset(k) * given_rows(); }
double* Batch::time(int which) { return given(columns_.given) + offset(which) * time_rows(); }
double* Batch::inside() { return time(0) + 2 * time_rows(); }
double* Batch::series(int j, int k) {
  return out_ + (offset(j + 1) * offset(columns_.variables) + offset(k)) * count_;
}
double* Batch::ended() { return series(columns_.inside, 0); }
const unsigned char* Batch::outcome() const {
  return reinterpret_cast<const unsigned char*>(out_ + out_numbers() * count_);
}

void Batch::clear_unreached() {
  if (!columns_.ended) return;
  for (std::size_t i = 0; i < count_; ++i)
    for (int j = columns_.inside; j-- > 0 && inside()[j] > ended()[i];)
      for (int k = 0; k < columns_.variables; ++k)
        series(j, k)[i] = std::numeric_limits<double>::quiet_NaN();
}

std::size_t Batch::in_numbers() const {
  return at(columns_.numbers) * count_ + at(columns_.given) * given_rows() + 2 * time_rows() +
         at(columns_.inside);
}
std::size_t Batch::out_bytes() const { return out_numbers() * count_ * sizeof(double) + count_; }
std::size_t Batch::most_in_bytes() const {
  return ((at(columns_.numbers + columns_.given) + 2) * capacity_ + at(columns_.inside)) *
         sizeof(double);
}
std::size_t Batch::most_out_bytes() const {
  return (out_numbers() + 1) * capacity_ * sizeof(double);
}
std::size_t Batch::most_state_bytes() const {
  return at(columns_.state) * capacity_ * sizeof(double);
}

Arguments Batch::arguments(double* in, double* state, double* out, unsigned int* next) const {
  Arguments a{};
  a.numbers = in;
  a.given = in + at(columns_.numbers) * count_;
  a.times = a.given + at(columns_.given) * given_rows();
  a.state = state;
  a.y = out;
  a.outcome = reinterpret_cast<unsigned char*>(out + out_numbers() * count_);
  a.inside = a.times + 2 * time_rows();
  a.inside_count = static_cast<unsigned int>(columns_.inside);
  a.series = out + at(columns_.variables) * count_;
  a.ended = a.series + at(columns_.inside * columns_.variables) * count_;
  a.next = next;
  a.stride = static_cast<long long>(count_);
  a.given_stride = static_cast<long long>(given_rows());
  a.times_stride = static_cast<long long>(time_rows());
  a.count = static_cast<unsigned int>(count_);
  a.given_step = columns_.one_start ? 0 : 1;
  a.times_step = columns_.one_interval ? 0 : 1;
  return a;
}

}  // namespace daedalus::gpu
