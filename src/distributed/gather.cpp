// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "distributed/run.hpp"
#include "integrate/solution_data.hpp"

namespace daedalus::distributed {
namespace {

// Pieces of all ranks one after another, at rank 0.
class Collector {
 public:
  explicit Collector(MPI_Comm world) : world_(world) {
    MPI_Comm_rank(world, &rank_);
    MPI_Comm_size(world, &size_);
  }
  bool here() const { return rank_ == 0; }

  template <class T>
  std::vector<T> all(const T* data, std::size_t own, MPI_Datatype type) {
    int count = static_cast<int>(own);
    std::vector<int> counts(static_cast<std::size_t>(size_)), places(counts);
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, world_);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::vector<T> whole(
        here() ? static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)) : 0);
    MPI_Gatherv(data, count, type, whole.data(), counts.data(), places.data(), type, 0, world_);
    return whole;
  }
  Eigen::VectorXd vector(const Eigen::VectorXd& own) {
    const std::vector<double> v = all(own.data(), static_cast<std::size_t>(own.size()), MPI_DOUBLE);
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
  }

 private:
  MPI_Comm world_;
  int rank_ = 0, size_ = 1;
};

std::shared_ptr<const Variables> all_variables(Collector& collector, const Variables& own) {
  std::string text;
  for (const std::string& name : own.names) text += name + '\n';
  const std::vector<char> names = collector.all(text.data(), text.size(), MPI_CHAR);
  std::vector<int> index;
  for (const Variables::Range& r : own.ranges)
    index.insert(index.end(), static_cast<std::size_t>(r.count), r.index);
  const std::vector<int> indices = collector.all(index.data(), index.size(), MPI_INT);
  auto v = std::make_shared<Variables>();
  std::string name;
  for (const char c : names)
    if (c == '\n')
      v->names.push_back(std::exchange(name, {}));
    else
      name += c;
  for (std::size_t k = 0; k < indices.size();) {
    std::size_t end = k;
    while (end < indices.size() && indices[end] == indices[k]) ++end;
    v->ranges.push_back(
        {VariableClass::y, indices[k], static_cast<int>(k), static_cast<int>(end - k)});
    k = end;
  }
  return v;
}

}  // namespace

Solution gather_states(MPI_Comm world, const Solution& own) {
  Collector collector(world);
  auto data = std::make_shared<SolutionData>(own.data());
  const auto n = static_cast<std::size_t>(own.data().variables->size());
  const std::shared_ptr<const Variables> variables =
      all_variables(collector, *own.data().variables);
  std::vector<double> states;
  for (std::size_t k = 0; k < own.data().times.size(); ++k) {
    const std::vector<double> all = collector.all(own.data().states.data() + k * n, n, MPI_DOUBLE);
    states.insert(states.end(), all.begin(), all.end());
  }
  const Eigen::VectorXd start = collector.vector(own.data().start),
                        end = collector.vector(own.data().end);
  if (!collector.here()) return own;
  data->variables = variables;
  data->states = std::move(states);
  data->start = start;
  data->end = end;
  data->interpolants.clear();
  data->layout = {};
  for (const Variables::Range& r : variables->ranges) {
    const auto first = variables->names.begin() + r.first;
    data->layout.add(VariableClass::y, r.index, euclidean(r.count), {first, first + r.count});
  }
  return Solution(std::move(data));
}

}  // namespace daedalus::distributed
