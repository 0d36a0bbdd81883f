// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/mpi_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "distributed/wait.hpp"
#include "integrate/messages.hpp"

namespace daedalus::distributed {
namespace {

// What ends a run outweighs what a smaller step may mend.
double gravity(Outcome o) {
  switch (o) {
    case Outcome::ok:
      return 0.0;
    case Outcome::callback_failed:
      return 5.0;
    case Outcome::not_finite:
      return 4.0;
    case Outcome::callback_rejected:
      return 3.0;
    case Outcome::matrix_singular:
      return 2.0;
    default:
      return 1.0;
  }
}

// One message: sizes of both lists, sums, maxima, then (worst, its rank), (gravity, outcome, its
// rank).
constexpr std::size_t head = 2, tail = 5;

// In the order of ranks: `in` comes from lower ones, which win where values are equal.
void combine(void* in_bytes, void* inout_bytes, int* count, MPI_Datatype* type) {
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int message = 0; message < *count; ++message) {
    const auto* in =
        reinterpret_cast<const double*>(static_cast<char*>(in_bytes) + message * extent);
    auto* inout = reinterpret_cast<double*>(static_cast<char*>(inout_bytes) + message * extent);
    const auto sums = static_cast<std::size_t>(in[0]), maxima = static_cast<std::size_t>(in[1]);
    for (std::size_t k = head; k < head + sums; ++k) inout[k] = in[k] + inout[k];
    for (std::size_t k = head + sums; k < head + sums + maxima; ++k)
      if (!(in[k] <= inout[k]) && !std::isnan(inout[k])) inout[k] = in[k];
    double* worst = inout + head + sums + maxima;
    const double* worst_in = in + head + sums + maxima;
    if (!(worst_in[0] < worst[0])) std::copy_n(worst_in, 2, worst);
    if (worst_in[2] >= worst[2]) std::copy_n(worst_in + 2, 3, worst + 2);
  }
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm world) : world_(world) {
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
  MPI_Op_create(&combine, 0, &combine_);
}

MpiCommunicator::~MpiCommunicator() {
  for (auto& [count, type] : types_) MPI_Type_free(&type);
  MPI_Op_free(&combine_);
}

// One element per message: MPI may cut arrays into pieces before it combines them.
MPI_Datatype MpiCommunicator::type_of(int count) {
  const auto [place, made] = types_.try_emplace(count);
  if (made) {
    MPI_Type_contiguous(count, MPI_DOUBLE, &place->second);
    MPI_Type_commit(&place->second);
  }
  return place->second;
}

bool MpiCommunicator::reduce(std::span<double> sums, std::span<double> maxima, double* worst) {
  ++reductions_;
  send_.clear();
  send_.push_back(static_cast<double>(sums.size()));
  send_.push_back(static_cast<double>(maxima.size()));
  send_.insert(send_.end(), sums.begin(), sums.end());
  send_.insert(send_.end(), maxima.begin(), maxima.end());
  const double last[tail] = {worst ? *worst : 0.0, double(rank_), gravity(pending_),
                             static_cast<double>(pending_), double(rank_)};
  send_.insert(send_.end(), last, last + tail);
  receive_.resize(send_.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(send_.data(), receive_.data(), 1, type_of(static_cast<int>(send_.size())),
                 combine_, world_, &request);
  wait_all(1, &request);
  const double* from = receive_.data() + head;
  std::copy_n(from, sums.size(), sums.data());
  std::copy_n(from + sums.size(), maxima.size(), maxima.data());
  const double* end = from + sums.size() + maxima.size();
  if (worst) {
    *worst = end[0];
    blamed_ = static_cast<int>(end[1]);
  }
  if (end[2] > 0.0) {
    const auto outcome = static_cast<Outcome>(static_cast<int>(end[3]));
    if (gravity(outcome) > gravity(agreed_)) agreed_ = outcome;
    blamed_ = static_cast<int>(end[4]);
    tell(blamed_);
    pending_ = Outcome::ok;
  }
  return !worst || blamed_ == rank_;
}

void MpiCommunicator::postpone(Outcome own, const Failure& failure) {
  if (gravity(own) <= gravity(pending_)) return;
  pending_ = own;
  own_ = failure;
}

Outcome MpiCommunicator::settle(Outcome otherwise) {
  const Outcome o = agreed_;
  agreed_ = Outcome::ok;
  return o == Outcome::ok ? otherwise : o;
}

// What failed on a rank, to all of them: callable, row, time, and what was thrown.
void MpiCommunicator::tell(int from) {
  double numbers[] = {static_cast<double>(own_.row), own_.t, own_.exception ? 1.0 : 0.0};
  MPI_Bcast(numbers, 3, MPI_DOUBLE, from, world_);
  std::string function = own_.function ? own_.function : "";
  broadcast(function, from);
  std::string text =
      from == rank_ && own_.exception ? what_was_thrown(own_.exception) : std::string();
  if (numbers[2] != 0.0) broadcast(text, from);
  if (!report_) return;
  if (from == rank_) {
    *report_ = own_;
    return;
  }
  function_ = function;
  *report_ = Failure{};
  report_->function = function_.c_str();
  report_->row = static_cast<int>(numbers[0]);
  report_->t = numbers[1];
  if (numbers[2] != 0.0)
    report_->exception = std::make_exception_ptr(
        std::runtime_error(fmt::format("rank {} of {}: {}", from, size_, text)));
}

void MpiCommunicator::broadcast(std::string& text, int from) {
  auto length = static_cast<long>(text.size());
  MPI_Bcast(&length, 1, MPI_LONG, from, world_);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, from, world_);
}

int MpiCommunicator::first_to_say(std::string& text) {
  int mine = text.empty() ? size_ : rank_, first = size_;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world_);
  if (first == size_) return -1;
  broadcast(text, first);
  return first;
}

}  // namespace daedalus::distributed
