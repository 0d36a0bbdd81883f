// SPDX-License-Identifier: BSD-3-Clause
#include "tool/solve_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/numbers.hpp"
#include "tool/run_document.hpp"
#include "tool/trajectory.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

Json describe(const StepRecord& r) {
  return Json{{"number", r.number},
              {"t", number(r.t)},
              {"h", number(r.h)},
              {"order", r.order},
              {"error", number(r.error)},
              {"newton_iterations", r.newton_iterations},
              {"outcome", std::string(r.outcome)},
              {"worst", text_or_null(std::string(r.worst_name))}};
}

Json describe(const StepTable& s) {
  return Json{{"t", numbers(s.t)},
              {"h", numbers(s.h)},
              {"error", numbers(s.error)},
              {"order", s.order},
              {"newton_iterations", s.newton_iterations},
              {"outcome", s.outcome},
              {"worst", s.worst}};
}

StepTable step_table(const Json& json) {
  const auto values = [&](const char* key) {
    std::vector<double> list;
    for (const Json& x : json.at(key))
      list.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
    return list;
  };
  return {values("t"),
          values("h"),
          values("error"),
          json.at("order").get<std::vector<int>>(),
          json.at("newton_iterations").get<std::vector<int>>(),
          json.at("outcome").get<std::vector<std::string>>(),
          json.at("worst").get<std::map<std::string, long>>()};
}

// 60, 60s, 5min or 1000steps.
void set_interval(const std::string& text, LongRun& run) {
  const auto is = [&](const std::string& unit) {
    return text.size() > unit.size() && text.ends_with(unit);
  };
  const auto value = [&](std::size_t unit) {
    const double x = parse_number("--checkpoint-interval", text.substr(0, text.size() - unit));
    if (!(x > 0.0))
      throw InvalidArgument("--checkpoint-interval has '" + text + "'; it must be positive");
    return x;
  };
  if (is("steps"))
    run.checkpoint_steps = std::max(1L, static_cast<long>(value(5)));
  else if (is("min"))
    run.checkpoint_seconds = 60.0 * value(3);
  else
    run.checkpoint_seconds = value(is("s") ? 1 : 0);
}

void say_where(const fs::path& target, const fs::path& written, Session& io) {
  if (written != target)
    io.err << "daedalus: the run failed, so '" << target.string()
           << "' was left as it is; what was computed is in '" << written.string() << "'\n";
}

}  // namespace

void add_output_options(CLI::App& command, OutputSettings& s) {
  command.add_option(
      "--out,--output", s.out,
      "Write the trajectory as the run goes: run.csv, run.json, run.npz (NumPy), run.raw\n"
      "(waveform viewers; .ascii.raw as text) or run.h5 (HDF5); every step, or --points times");
  add_whole(command, "--points", s.points, "Equidistant times in --out, by dense output", 2,
            100'000'000);
  command.add_option("--report", s.report,
                     "Write a page with plots and animation, run.html; implies --watch-drift");
  command.add_option("--trace", s.trace, "Write every attempted step, one JSON per line");
  command.add_option("--checkpoint", s.checkpoint,
                     "Write checkpoints to this file; it is removed when the run has succeeded");
  command
      .add_option("--checkpoint-interval", s.checkpoint_interval,
                  "Time between checkpoints, 60, 60s or 5min, or steps, 1000steps")
      ->capture_default_str();
  command.add_option("--resume", s.resume,
                     "Go on from a checkpoint, with the options of the run that wrote it");
}

TraceFile::TraceFile(const std::string& path) : path_(path), written_(path) {
  // A pipe or a terminal is written to as it is, and has no lock beside it.
  std::error_code ignored;
  const fs::file_type kind = fs::status(path, ignored).type();
  if (kind != fs::file_type::fifo && kind != fs::file_type::character) {
    lock_ = FileLock(path);
    written_ = new_file_beside(path).string();
  }
  stream_.open(written_, std::ios::trunc);
  if (!stream_) throw FileError("'" + path + "' cannot be written: " + std::strerror(errno));
}

TraceFile::~TraceFile() {
  std::error_code ignored;
  if (written_ != path_) fs::remove(written_, ignored);
}

void TraceFile::finish(bool good, Session& io) {
  stream_.close();
  const bool direct = written_ == path_;
  if (!stream_ && direct) throw FileError("'" + path_ + "' could not be written to its end");
  if (!stream_) refuse_unwritten(path_, written_);
  if (direct) return;
  const fs::path name = final_name(path_, good);
  replace(written_, name);
  written_ = path_;
  say_where(path_, name, io);
}

RunOutput::RunOutput(const OutputSettings& settings, bool keep_states) : settings_(settings) {
  OutputSettings& s = settings_;
  std::error_code ignored;
  if (s.points > 0 && s.out.empty() && s.report.empty())
    throw InvalidArgument(
        "--points is the number of times in a file; give --out or --report, or --at for values");
  if (s.checkpoint.empty()) s.checkpoint = s.resume;
  if (!s.checkpoint.empty() && s.checkpoint != s.resume && fs::exists(s.checkpoint, ignored))
    throw InvalidArgument("--checkpoint: '" + s.checkpoint + "' exists; go on with --resume " +
                          s.checkpoint + ", or remove it");
  if (!s.checkpoint.empty()) AtomicFile{s.checkpoint};  // can it be written?
  set_interval(s.checkpoint_interval, long_run_);
  long_run_.checkpoint = s.checkpoint;
  long_run_.resume = s.resume;
  if (!s.report.empty()) {
    need_report_page("--report", s.report);
    page_ = std::make_unique<AtomicFile>(s.report);
  }
  long_run_.keep_states = keep_states || documented() || page_;
  if (!s.out.empty()) file_.emplace(s.out, !s.checkpoint.empty());
  if (!s.trace.empty()) trace_.emplace(s.trace);
}

bool RunOutput::documented() const { return fs::path(settings_.out).extension() == ".json"; }

// Equal runs give equal files: how long they took is no result. JSON keeps it, for reports.
std::string RunOutput::run_text(const RunReport& report, const Session& io) const {
  if (documented())
    return line(run_document(report, steps_, io.command, reported_states(report.solution)));
  Json json = solve_document(report);
  json["statistics"]["seconds"] = nullptr;
  return line(json);
}

void RunOutput::attach(PreparedRun& run, bool picture) {
  Options& o = run.options;
  const bool dense = picture || page_;
  if (page_) o.watch_drift = true;
  // Constraint residuals are taken over reported states: all steps, whether or not they are kept.
  o.output = dense ? Output::dense : Output::steps;
  const std::vector<double> times =
      settings_.points > 0 ? sample_times(run.interval.from, run.interval.to, settings_.points)
                           : std::vector<double>{};
  if (o.project_output) {
    if (settings_.points <= 0 || dense)
      throw InvalidArgument(
          "--project-output projects the states that --points writes; give --out and --points, and "
          "no --plot or --report");
    o.output = Output::times;
    o.output_times = times;
  } else if (!dense && file_) {
    long_run_.times_between = times;
  }
  if (file_) {
    streamed_ = !dense || times.empty();
    file_->attach(o, long_run_);
    if (!streamed_) {
      o.sink = {};
    } else if (!times.empty() && !o.project_output) {
      // Of the steps only those that happen to end at one of the times, or a rounding error beside
      // it: steps end at break times, which are computed in another way than the times.
      o.sink = [this, times](const StateView& s) {
        const auto next = static_cast<std::size_t>(file_->states());
        if (next < times.size() && std::fabs(times[next] - s.t()) <=
                                       1e-14 * std::max(std::fabs(s.t()), std::fabs(times[0])))
          file_->add(s);
      };
    }
  }
  if (trace_ || documented() || page_)
    o.trace = [this](const StepRecord& record) {
      if (trace_) trace_->add(line(describe(record)));
      if (documented() || page_) steps_.add(record);
    };
  if (!settings_.checkpoint.empty()) identify(run);
}

// Parameters of a catalogue problem are built into its functions, where the library cannot see
// them.
void RunOutput::identify(const PreparedRun& run) {
  std::string parameters;
  for (const auto& [name, value] : run.parameters.all)
    parameters += fmt::format("{}{}={:.17g}", parameters.empty() ? "" : ", ", name, value);
  const bool file = file_.has_value();
  long_run_.save = [this, parameters, file] {
    return "parameters " + parameters + "\n" + line(describe(steps_)) + "\n" +
           (file ? file_->mark() : std::string());
  };
  long_run_.load = [this, parameters, file](const std::string& text) {
    const std::size_t end = text.find('\n'),
                      next = end == std::string::npos ? end : text.find('\n', end + 1);
    if (next == std::string::npos)
      files::damaged(settings_.resume, "section 'outside': it is not what a run of the tool wrote");
    const std::string there = text.substr(0, end).substr(std::min<std::size_t>(end, 11));
    const std::string mark = next == std::string::npos ? "" : text.substr(next + 1);
    try {
      steps_ = step_table(parse_json(text.substr(end + 1, next - end - 1), settings_.resume));
    } catch (const Json::exception&) {
      files::damaged(settings_.resume, "section 'outside': the table of steps is not whole");
    }
    if (there != parameters)
      throw InvalidArgument(fmt::format(
          "--resume: the checkpoint '{}' belongs to another run: parameters are '{}' there and "
          "'{}' here",
          settings_.resume, there, parameters));
    if (mark.empty() == file)
      throw InvalidArgument(fmt::format(
          "--resume: the checkpoint '{}' was written by a run with{} an output file (--out), and "
          "this one has {}",
          settings_.resume, mark.empty() ? "out" : "", file ? "one" : "none"));
    if (file) file_->go_back(mark);
  };
}

// Where the file cannot be made, on a full disk, the states that lie beside it stay.
void RunOutput::write_states(const std::string& run, bool good, Session& io) {
  try {
    say_where(settings_.out, file_->commit(run, good), io);
  } catch (const FileError& error) {
    file_->mark();
    throw FileError(
        fmt::format("{}; its states are kept, and 'daedalus recover {}' makes a file of them",
                    error.what(), settings_.out));
  }
}

void RunOutput::finish(const RunReport& report, Session& io) {
  const Solution& solution = report.solution;
  if (trace_) trace_->finish(solution.ok(), io);
  std::error_code ignored;
  const bool to_resume =
      !solution.ok() && !settings_.checkpoint.empty() && fs::exists(settings_.checkpoint, ignored);
  if (to_resume) {
    io.err << "daedalus: the run can go on from its last checkpoint with --resume "
           << settings_.checkpoint << '\n';
    return;
  }
  if (file_) {
    if (!streamed_) {
      const Interval& interval = report.run.interval;
      const Trajectory sampled = sample(solution, interval.from, interval.to, settings_.points);
      for (std::size_t i = 0; i < sampled.t.size(); ++i)
        file_->add(StateView(solution.variables(), sampled.t[i], sampled.y[i].data()));
    }
    // A run that ended early: its last good point.
    const ModelState end = solution.end();
    if (file_->last_time() != end.t()) file_->add(end.view());
    write_states(run_text(report, io), solution.ok(), io);
  }
  if (page_) {
    const Interval& interval = report.run.interval;
    const Trajectory shown = settings_.points > 0
                                 ? sample(solution, interval.from, interval.to, settings_.points)
                                 : report_trajectory(solution);
    Json run = run_document(report, steps_, io.command, shown);
    run["trajectory"] = cli::describe(shown);
    page_->stream() << report_page(run);
    page_->commit();
  }
  if (!settings_.checkpoint.empty()) fs::remove(settings_.checkpoint, ignored);
}

}  // namespace daedalus::cli
