// SPDX-License-Identifier: BSD-3-Clause
// Reading of .meas tran: FIND, WHEN, MIN MAX PP AVG RMS, TRIG ... TARG.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "circuit/analyses.hpp"

namespace daedalus::circuit {
namespace {

using Crossing = MeasureRequest::Crossing;

class MeasureReader {
 public:
  MeasureReader(Cursor& cursor, const std::function<double(Cursor&)>& number, double tstop)
      : cursor_(cursor), number_(number), tstop_(tstop) {}

  bool run(MeasureRequest& m) {
    m.where = cursor_.statement().whole();
    m.until = tstop_;
    if (!cursor_.is_word() || cursor_.lower() != "tran")
      return wrong("only .meas tran is evaluated", ".meas tran name MAX v(out)");
    cursor_.skip();
    if (tstop_ <= 0.0) return wrong(".meas tran needs a line .tran", "for example .tran 1u 1m");
    if (!cursor_.is_word()) return wrong(".meas tran has no name", ".meas tran name MAX v(out)");
    m.name = cursor_.take_lower();
    if (!cursor_.is_word()) return wrong(m.name + " says nothing to measure", usage);
    m.what = cursor_.take_lower();
    if (m.what == "find") return find(m);
    if (m.what == "when") return crossing(m.when, true) && rest(m);
    if (m.what == "trig") return trigger(m);
    constexpr std::array<std::string_view, 5> integrals{"min", "max", "pp", "avg", "rms"};
    if (std::find(integrals.begin(), integrals.end(), m.what) == integrals.end())
      return wrong(fmt::format("'{}' is no kind of measurement", m.what), usage);
    return signal(m.signal) && rest(m);
  }

 private:
  static constexpr const char* usage = "FIND, WHEN, MIN, MAX, PP, AVG, RMS or TRIG ... TARG";

  bool wrong(const std::string& message, const std::string& hint) {
    cursor_.files().error(cursor_.where(), message, hint);
    return false;
  }
  bool signal(Signal& s) {
    return read_signal(cursor_, s) || wrong("v(node), i(element) or p(element) is expected", usage);
  }

  // name=value; false: there is none.
  bool setting(std::string& name, double& value) {
    if (!cursor_.is_assignment()) return false;
    name = cursor_.take_lower();
    cursor_.skip();
    if (cursor_.is_word() && cursor_.lower() == "last") {
      cursor_.skip();
      value = -1.0;
    } else if (cursor_.is_value()) {
      value = number_(cursor_);
    } else {
      return !wrong(name + " has no value", "") && false;
    }
    return true;
  }

  bool one_setting(const std::string& name, double value, Crossing& c) {
    if (name == "rise" || name == "fall" || name == "cross") {
      c.number = static_cast<int>(value);
      c.direction = name == "rise" ? 1 : name == "fall" ? -1 : 0;
    } else if (name == "val") {
      c.level = value;
    } else if (name == "td") {
      c.delay = value;
    } else if (name == "at") {
      c.at = value;
    } else {
      return false;
    }
    return true;
  }

  // v(a)=x, with `with_level`, or v(a) VAL=x; then RISE, FALL, CROSS, TD.
  bool crossing(Crossing& c, bool with_level) {
    std::string name;
    double value = 0.0;
    if (!with_level && cursor_.is_assignment() && cursor_.lower() == "at") {
      if (setting(name, value)) c.at = value;
      return true;
    }
    if (!signal(c.signal)) return false;
    if (with_level) {
      if (!cursor_.is(WordKind::equals)) return wrong("v(node)=value is expected", usage);
      cursor_.skip();
      if (!cursor_.is_value()) return wrong("v(node)=value is expected", usage);
      c.level = number_(cursor_);
    }
    while (cursor_.is_assignment()) {
      const Cursor before = cursor_;
      if (!setting(name, value)) return false;
      if (!one_setting(name, value, c)) {
        cursor_ = before;
        break;
      }
    }
    return true;
  }

  bool find(MeasureRequest& m) {
    if (!signal(m.signal)) return false;
    if (cursor_.is_word() && cursor_.lower() == "when") {
      cursor_.skip();
      return crossing(m.when, true) && rest(m);
    }
    return crossing_at(m.when) && rest(m);
  }
  bool crossing_at(Crossing& c) {
    std::string name;
    if (setting(name, c.at) && name == "at") return true;
    return wrong("FIND needs AT=time or WHEN v(node)=value", usage);
  }

  bool trigger(MeasureRequest& m) {
    if (!crossing(m.when, false)) return false;
    if (!cursor_.is_word() || cursor_.lower() != "targ")
      return wrong("TRIG needs TARG", "TRIG v(a) VAL=1 RISE=1 TARG v(b) VAL=1 FALL=1");
    cursor_.skip();
    return crossing(m.to, false) && rest(m);
  }

  // FROM= TO= at the end.
  bool rest(MeasureRequest& m) {
    std::string name;
    double value = 0.0;
    while (cursor_.is_assignment()) {
      const Where where = cursor_.where();
      if (!setting(name, value)) return false;
      if (name == "from") {
        m.from = value;
      } else if (name == "to") {
        m.until = value;
      } else {
        cursor_.files().error(where, fmt::format("'{}' is not known in .meas", name),
                              "FROM=, TO=, AT=, VAL=, RISE=, FALL=, CROSS=, TD=");
        return false;
      }
    }
    if (!cursor_.done()) return wrong("this is not expected in .meas", usage);
    if (!(m.from >= 0.0 && m.from < m.until && m.until <= tstop_ * (1.0 + 1e-12)))
      return wrong("FROM and TO must lie in the run, FROM first", "");
    return true;
  }

  Cursor& cursor_;
  const std::function<double(Cursor&)>& number_;
  double tstop_;
};

}  // namespace

bool read_measure(Cursor& cursor, const std::function<double(Cursor&)>& number, double tstop,
                  MeasureRequest& request) {
  return MeasureReader(cursor, number, tstop).run(request);
}

}  // namespace daedalus::circuit
