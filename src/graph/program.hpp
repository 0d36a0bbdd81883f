// SPDX-License-Identifier: BSD-3-Clause
// What is evaluated: instructions over numbered slots, made once from a graph and then shared,
// read-only, by all threads. Workspaces (graph/interpreter.hpp) hold the values.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/graph.hpp>

#include "graph/schedule.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {

struct Instruction {
  std::uint16_t code;
  std::int32_t d, a, b, c, e;
};

// Slots: constants, then inputs, then results. Each stage ends with Code::end.
struct Instructions {
  std::vector<double> constants;
  int inputs = 0;
  int slots = 0;
  std::vector<Instruction> list;
  std::array<int, stage_count> start{};  // first instruction of each stage
  std::vector<std::int32_t> arguments;   // slots of arguments of external functions
  std::vector<LookUp> look_ups;
  std::vector<std::shared_ptr<const External>> externals;
  bool lazy = false;

  int first_input() const { return static_cast<int>(constants.size()); }
  bool stage_is_empty(int s) const {
    return list[static_cast<std::size_t>(start[static_cast<std::size_t>(s)])].code ==
           code_of(Code::end);
  }
};

// A kernel over its instances. Argument k of the kernel is input slot k.
struct MapProgram {
  struct Argument {
    MapArgument::Source source;
    InputKind kind;
    std::vector<double> values;
    int slot = -1;   // of a scalar, in the program around it
    int length = 0;  // of the vector that it reads
  };
  // Instances in which every index grows by its own constant stride; with `gather` by the tables.
  struct Segment {
    int first, count;
    bool gather;
    int strides;  // place of its starts and strides: arguments, then results
  };
  Instructions kernel;
  int count = 0;
  std::vector<Argument> arguments;
  std::vector<std::int32_t> result_slot;
  bool accumulate = false;
  std::vector<Segment> segments;
  std::vector<std::int32_t> starts, strides;
  // By argument and result, for `gather` alone: regular instances need no tables.
  std::vector<std::vector<std::int32_t>> tables;

  // What argument or result k (arguments first) of instance i of a segment reads or writes.
  std::int32_t index(const Segment& s, std::size_t k, int i) const {
    if (s.gather) return tables[k][static_cast<std::size_t>(i)];
    const std::size_t place = static_cast<std::size_t>(s.strides) + k;
    return starts[place] + strides[place] * (i - s.first);
  }
};

struct ProgramOptions {
  bool reuse_slots = true;  // off: every slot is written once, as a register allocator wants it
  bool fuse = true;
};

class Program {
 public:
  Program() = default;
  // `outputs` as by lower(). InvalidArgument where a kernel has inputs that are not its arguments.
  Program(Graph& graph, const Outputs& outputs, ProgramOptions options = {});

  struct Load {
    InputKind kind;
    int first, count, slot;
  };
  // Rows side by side whose slots are, too; rows side by side of one number.
  struct Store {
    int row, slot, count;
  };
  struct Fixed {
    int row, count;
    double value;
  };

  int output_count() const { return outputs_; }
  const Instructions& instructions() const { return instructions_; }
  const std::vector<Load>& loads(int stage) const {
    return loads_[static_cast<std::size_t>(stage)];
  }
  const std::vector<Store>& stores() const { return stores_; }
  const std::vector<Fixed>& fixed() const { return fixed_; }
  const std::vector<MapProgram>& maps() const { return maps_; }
  const std::string& message(int assertion) const {
    return messages_[static_cast<std::size_t>(assertion)];
  }
  std::size_t memory() const;  // bytes, roughly

 private:
  void add_loads(const Graph& graph, const std::vector<int>& inputs);
  void add_rows(Graph& graph, const Outputs& outputs,
                const std::vector<const Outputs::Single*>& singles, const std::vector<int>& slot);
  void store(int row, int slot);
  void fix(int row, double value);

  int outputs_ = 0;
  Instructions instructions_;
  std::array<std::vector<Load>, stage_count> loads_;
  std::vector<Store> stores_;
  std::vector<Fixed> fixed_;
  std::vector<MapProgram> maps_;
  std::vector<std::string> messages_;
};

// Gives every value a slot. `inputs`: nodes of the inputs in the order of their slots. `slot` by
// node comes back; values that `roots` or a later stage need keep theirs. Computed roots lie side
// by side in their order, so that rows are copied in runs.
Instructions allocate_slots(const Graph& graph, const Schedule& schedule,
                            const std::vector<int>& inputs, const std::vector<int>& roots,
                            bool reuse, std::vector<int>& slot);

MapProgram compile_map(const Map& map, ProgramOptions options, std::vector<std::string>& messages);

}  // namespace daedalus::graph
