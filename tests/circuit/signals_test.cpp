// SPDX-License-Identifier: BSD-3-Clause
// .print of currents and powers, .meas, devices of .op, DC beside shapes, sweeps, formulations.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

constexpr double pi = std::numbers::pi;

Solution dense_run(const Circuit& circuit, double rtol = 1e-8) {
  const Entry entry = circuit.entry();
  Options options = circuit.options(rtol);
  options.output = Output::dense;
  return solve(entry.problem(), {entry.t0, entry.t_end}, options);
}

// 1 V at 1 kHz across 1 kOhm and 1 uF: all currents have closed forms.
const char* const parallel = R"(currents
V1 a 0 SIN(0 1 1k)
R1 a 0 1k
C1 a 0 1u
R2 0 a 2k
I1 a 0 1m
D1 0 a DM
.model DM D(IS=1e-14)
.tran 1u 2m
.print tran i(R1) i(C1) i(R2) i(I1) i(D1) p(R1) v(0,a)
)";

TEST(CircuitSignals, CurrentsOfAllElementsAreUnknowns) {
  const Circuit circuit = read_circuit_text(parallel, "currents.cir");
  const Solution run = dense_run(circuit);
  ASSERT_TRUE(run.ok()) << run.message();
  for (const double t : {0.3e-3, 0.9e-3, 1.6e-3}) {
    const double w = 2.0 * pi * 1e3, v = std::sin(w * t);
    const ModelState s = run.at(t);
    EXPECT_NEAR(s["i(r1)"], v / 1e3, 1e-10) << t;
    EXPECT_NEAR(s["i(r2)"], -v / 2e3, 1e-10) << t;
    EXPECT_NEAR(s["i(c1)"], 1e-6 * w * std::cos(w * t), 2e-7) << t;  // of index 2
    EXPECT_NEAR(s["i(i1)"], 1e-3, 1e-12) << t;
    const double out = s["i(r1)"] + s["i(c1)"] - s["i(r2)"] + s["i(i1)"] - s["i(d1)"];
    EXPECT_NEAR(s["i(v1)"], -out, 1e-9) << "Kirchhoff at " << t;
  }
}

TEST(CircuitSignals, DifferencesAndPowersAreOutputs) {
  const Circuit circuit = read_circuit_text(parallel, "currents.cir");
  const Entry entry = circuit.entry();
  ASSERT_EQ(entry.outputs.size(), 2u);
  EXPECT_EQ(entry.outputs[0].name, "p(r1)");
  EXPECT_EQ(entry.outputs[1].name, "v(0,a)");
  const Solution run = dense_run(circuit);
  const ModelState s = run.at(0.3e-3);
  double values[2] = {};
  entry.evaluate_outputs(entry.all_values(), s.view(), Out(values, 2));
  const double v = std::sin(2.0 * pi * 0.3);
  EXPECT_NEAR(values[0], v * v / 1e3, 1e-10);
  EXPECT_NEAR(values[1], -v, 1e-8);
}

TEST(CircuitSignals, UnknownSignalsAreWarnedOf) {
  const Circuit circuit = read_circuit_text(
      "t\nV1 a 0 1\nR1 a 0 1k\nQ1 a a 0 QN\n.model QN NPN\n.op\n.print op v(b) i(R9) i(Q1)\n",
      "t.cir");
  std::string all;
  for (const SourceDiagnostic& w : circuit.warnings()) all += w.message + "\n";
  EXPECT_NE(all.find("v(b): there is no node b"), std::string::npos) << all;
  EXPECT_NE(all.find("i(r9): there is no element r9"), std::string::npos) << all;
  EXPECT_NE(all.find("i(q1): Q1 has more than two terminals"), std::string::npos) << all;
}

TEST(CircuitMeasure, AgreesWithClosedForms) {
  const Circuit circuit = read_circuit_text(R"(measure
V1 a 0 SIN(0 2 1k)
R1 a b 1k
R2 b 0 1k
.tran 1u 3m
.meas tran top MAX v(b)
.meas tran bottom MIN v(a)
.meas tran both PP v(a) FROM=1m TO=3m
.meas tran mean AVG v(a) FROM=0 TO=0.5m
.meas tran root RMS v(a) FROM=0 TO=2m
.meas tran second WHEN v(a)=1 RISE=2
.meas tran last WHEN v(a)=1 FALL=LAST
.meas tran here FIND v(b) AT=0.1m
.meas tran there FIND v(b) WHEN v(a)=-1 CROSS=1
.meas tran delay TRIG v(a) VAL=0 FALL=1 TARG v(b) VAL=0.5 RISE=1 TD=1m
.meas tran heat AVG p(R1) TO=1m
.meas tran never WHEN v(a)=3 RISE=1
)",
                                            "measure.cir");
  const Solution run = dense_run(circuit, 1e-10);
  ASSERT_TRUE(run.ok()) << run.message();
  std::map<std::string, Measured> m;
  for (const Measured& one : circuit.measure(run)) m[one.name] = one;
  const double quarter = std::asin(0.5) / (2.0 * pi) * 1e-3;  // where 2 sin reaches 1
  EXPECT_NEAR(m["top"].value, 1.0, 1e-9);
  EXPECT_NEAR(m["bottom"].value, -2.0, 1e-9);
  EXPECT_NEAR(m["both"].value, 4.0, 1e-9);
  EXPECT_NEAR(m["mean"].value, 4.0 / pi, 1e-9);
  EXPECT_NEAR(m["root"].value, std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(m["second"].value, 1e-3 + quarter, 1e-12);
  EXPECT_NEAR(m["last"].value, 2.5e-3 - quarter, 1e-12);
  EXPECT_NEAR(m["here"].value, std::sin(0.2 * pi), 1e-9);
  EXPECT_NEAR(m["there"].value, -0.5, 1e-9);
  EXPECT_NEAR(m["delay"].value, 1e-3 + quarter - 0.5e-3, 1e-12);
  EXPECT_NEAR(m["heat"].value, 0.5e-3, 1e-12);
  EXPECT_TRUE(std::isnan(m["never"].value));
  EXPECT_NE(m["never"].problem.find("crossed 0 times"), std::string::npos) << m["never"].problem;
}

TEST(CircuitMeasure, WrongLinesAreTold) {
  for (const char* line :
       {".meas tran x", ".meas tran x WORST v(a)", ".meas tran x TRIG v(a) VAL=1",
        ".meas ac x MAX v(a)", ".meas tran x MAX v(a) FROM=2 TO=1", ".meas tran x FIND v(a)"})
    EXPECT_THROW(read_circuit_text(
                     std::string("t\nV1 a 0 1\nR1 a 0 1\n.tran 1u 1m\n") + line + "\n", "t.cir"),
                 InvalidModel)
        << line;
}

const DeviceValues& named(const std::vector<DeviceValues>& all, const std::string& name) {
  for (const DeviceValues& d : all)
    if (d.name == name) return d;
  throw InvalidArgument("no device " + name);
}
double of(const DeviceValues& d, const std::string& name) {
  for (const auto& [own, value] : d.values)
    if (own == name) return value;
  throw InvalidArgument("no value " + name);
}

TEST(CircuitDevices, SmallSignalValuesFollowTextbooks) {
  const Circuit circuit = read_circuit_text(R"(devices
VC c 0 5
VB b 0 0.65
Q1 c b 0 QN
M1 c g 0 0 NM W=10u L=1u
VG g 0 2
MO c 0 0 0 NM
D1 b 0 DM
R1 c 0 1k
.model QN NPN(IS=1e-15 BF=100 VAF=50 CJE=1p)
.model NM NMOS(VTO=1 KP=100u LAMBDA=0.02)
.model DM D(IS=1e-14)
.op
)",
                                            "devices.cir");
  const std::vector<DeviceValues> all = circuit.devices();
  const double vt = 1.38064852e-23 * 300.15 / 1.6021766208e-19;
  const DeviceValues& q = named(all, "q1");
  EXPECT_EQ(q.kind, "NPN");
  EXPECT_EQ(q.region, "active");
  EXPECT_NEAR(of(q, "gm") * vt / of(q, "ic"), 1.0, 1e-3);
  EXPECT_NEAR(of(q, "ic") / of(q, "ib") / 100.0, 1.0 + 4.35 / 50.0, 1e-3);
  // ic = If (1 - vbc/VAF): its slope by the collector is If/VAF.
  EXPECT_NEAR(of(q, "ro") * of(q, "ic"), 50.0 + 4.35, 0.05);
  EXPECT_GT(of(q, "cbe"), 1e-12);
  const DeviceValues& m = named(all, "m1");
  EXPECT_EQ(m.region, "saturation");
  EXPECT_NEAR(of(m, "id"), 0.5e-3 * 1.1, 1e-12);
  EXPECT_NEAR(of(m, "gm"), 1e-3 * 1.1, 1e-12);
  EXPECT_NEAR(1.0 / of(m, "rds"), 0.5e-3 * 0.02, 1e-12);
  EXPECT_EQ(named(all, "mo").region, "off");
  EXPECT_EQ(named(all, "d1").region, "forward");
  EXPECT_NEAR(of(named(all, "d1"), "gd") * vt / of(named(all, "d1"), "i"), 1.0, 1e-6);
  EXPECT_NEAR(of(named(all, "r1"), "p"), 25e-3, 1e-12);
}

TEST(CircuitDevices, SlopesByGroundedNodesAreThoseOfShiftedCircuits) {
  const auto circuit = [](const std::string& base) {
    return read_circuit_text(
        "t\nVS x 0 0\nVC c 0 5\nVE e 0 -0.7\nQ1 c " + base + " e QN\n.model QN NPN(RE=1)\n.op\n",
        "t.cir");
  };
  EXPECT_NEAR(
      of(named(circuit("0").devices(), "q1"), "gm") / of(named(circuit("x").devices(), "q1"), "gm"),
      1.0, 1e-9);
}

TEST(CircuitSources, DirectValuesStandBesideShapes) {
  const Circuit circuit = read_circuit_text(
      "t\nV1 a 0 DC 3 PULSE(0 1 0 1u 1u 1m 2m)\nI1 0 b DC 2m SIN(1m 0 1k)\nR1 a b 1k\nR2 b 0 "
      "1k\n.op\n.tran 1u 1m\n",
      "t.cir");
  EXPECT_NEAR(circuit.direct_point()["v(b)"], 2.5, 1e-9);
  EXPECT_NEAR(circuit.operating_point()["v(b)"], 0.5, 1e-9);  // where the run begins
}

TEST(CircuitSweeps, CurrentsTemperaturesAndShapes) {
  const Circuit by_current = read_circuit_text(
      "t\nI1 0 a PULSE(0 1m 0 1u 1u 1m 2m)\nI2 0 a 1m\nR1 a 0 1k\n.dc I1 0 2m 1m\n", "t.cir");
  const DirectSweep one = by_current.direct_sweep();
  ASSERT_EQ(one.points.size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(one.points[static_cast<std::size_t>(k)].values[0], 1.0 + k, 1e-9);
  const Circuit by_heat =
      read_circuit_text("t\nI1 0 a 1m\nR1 a 0 1k tc1=1m\n.temp 27\n.dc temp 27 127 50\n", "t.cir");
  const DirectSweep two = by_heat.direct_sweep();
  ASSERT_EQ(two.points.size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(two.points[static_cast<std::size_t>(k)].values[0], 1.0 + 0.05 * k, 1e-9);
}

TEST(CircuitFormulations, GiveTheSameWaveforms) {
  for (const char* file : {"rc", "halfwave"}) {
    const Circuit standard = circuits::read(file);
    const double expected = dense_run(standard).end()["v(out)"];
    for (const char* formulation : {"charge", "charge-variables", "conventional"}) {
      if (std::string(file) == "halfwave" && std::string(formulation) == "conventional") {
        EXPECT_THROW(standard.with({}, formulation), InvalidArgument);
        continue;
      }
      const Circuit other = standard.with({}, formulation);
      EXPECT_EQ(other.formulation(), formulation);
      const Solution run = dense_run(other);
      ASSERT_TRUE(run.ok()) << file << " " << formulation << ": " << run.message();
      EXPECT_NEAR(run.end()["v(out)"], expected, 1e-6) << file << " " << formulation;
    }
  }
  EXPECT_THROW(circuits::read("rc").with({}, "index2"), InvalidArgument);
}

TEST(CircuitElements, ModelsOfResistorsAndCapacitors) {
  const Circuit circuit = read_circuit_text(R"(models
I1 0 a 1m
R1 a b RM L=20u W=2u
R2 b c 100 RT
R3 c 0 RD
C1 a 0 CM L=10u W=10u
.model RM R(RSH=50)
.model RT R(TC1=1m)
.model RD R(R=250)
.model CM C(CJ=1m)
.temp 127
.op
)",
                                            "models.cir");
  const OperatingPoint op = circuit.operating_point();
  EXPECT_NEAR(op["v(a)"], 1e-3 * (500.0 + 110.0 + 250.0), 1e-9);
}

TEST(CircuitElements, ExpressionsNeedNoBracesInParameters) {
  const Circuit c = read_circuit_text(
      "t\n.param a = 2*0.5 b=a+1, d = max(a, (b - 1)) * 1k f=-3 g={a}\nV1 x 0 {b}\nR1 x 0 {d}\n"
      "E1 y 0 vol='v(x)*2'\nR2 y 0 1k\nG1 0 z cur='v(x)*1m'\nR3 z 0 {g-f}\n.op\n",
      "x.cir");
  const OperatingPoint op = c.operating_point();
  EXPECT_NEAR(op["v(x)"], 2.0, 1e-12);
  EXPECT_NEAR(op["i(v1)"], -2e-3, 1e-12);
  EXPECT_NEAR(op["v(y)"], 4.0, 1e-12);
  EXPECT_NEAR(op["v(z)"], 8e-3, 1e-12);
  try {
    read_circuit_text("t\n.param a=4k7\nR1 x 0 {a}\n.op\n", "x.cir");
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_NE(std::string(error.what()).find("write 4.7k"), std::string::npos) << error.what();
  }
}

TEST(CircuitElements, SwitchesStartAsWritten) {
  // A node called "on" does not switch anything on.
  const char* const text =
      "t\nV1 a 0 1\nR1 a on 1\nS1 on 0 c 0 SM {}\nVC c 0 0\n.model SM SW(VT=0 VH=1 RON=1)\n.op\n";
  const auto with = [&](const std::string& state) {
    std::string all = text;
    all.replace(all.find("{}"), 2, state);
    return read_circuit_text(all, "t.cir").operating_point()["v(on)"];
  };
  EXPECT_NEAR(with(""), 1.0, 1e-6);
  EXPECT_NEAR(with("OFF"), 1.0, 1e-6);
  EXPECT_NEAR(with("ON"), 0.5, 1e-6);
}

}  // namespace
}  // namespace daedalus
