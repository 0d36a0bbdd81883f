// SPDX-License-Identifier: BSD-3-Clause
// Reductions over the ranks of an MPI communicator. Operations are combined in the order of ranks,
// so that equal runs have equal bits. Each call carries the gravest outcome that a rank postponed;
// only where there is one, its rank tells the others about it in a second call.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "system/communicator.hpp"

namespace daedalus::distributed {

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm world);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  bool shared() const override { return true; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool reduce(std::span<double> sums, std::span<double> maxima, double* worst = nullptr) override;
  void postpone(Outcome own, const Failure& failure) override;
  Outcome settle(Outcome otherwise) override;

  MPI_Comm world() const { return world_; }
  bool failed() const { return agreed_ != Outcome::ok; }
  void report_into(Failure* failure) { report_ = failure; }
  // The rank that the last failure, or the worst variable of the last test, belongs to.
  int blamed() const { return blamed_; }
  long reductions() const { return reductions_; }
  void broadcast(std::string& text, int from);
  // The first rank, in their order, whose text is not empty; that text goes to all. -1: none.
  int first_to_say(std::string& text);

 private:
  MPI_Datatype type_of(int count);
  void tell(int from);

  MPI_Comm world_;
  MPI_Op combine_{};
  int rank_ = 0, size_ = 1, blamed_ = 0;
  long reductions_ = 0;
  Outcome pending_ = Outcome::ok, agreed_ = Outcome::ok;
  Failure own_, *report_ = nullptr;
  std::string function_;  // that Failure::function points to
  std::map<int, MPI_Datatype> types_;
  std::vector<double> send_, receive_;
};

}  // namespace daedalus::distributed
