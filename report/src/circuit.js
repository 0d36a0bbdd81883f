// SPDX-License-Identifier: BSD-3-Clause
// What netlists add to a report: the circuit's graph with the elements that cause index 2, and small signals.
import { brief } from './data.js';
import { colours, element } from './dom.js';
import { plot } from './plots.js';

const svg = (tag, attributes, ...children) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

// Nodes repel each other, elements pull theirs together; the same picture every time.
function layout(count, edges, width, height) {
  const at = Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return { x: width * (0.5 + 0.35 * Math.cos(angle)), y: height * (0.5 + 0.35 * Math.sin(angle)) };
  });
  const length = 0.75 * Math.sqrt((width * height) / count);
  for (let round = 0; round < 400; ++round) {
    const reach = 0.12 * length * (1 - round / 400) + 0.3;
    const force = at.map(() => ({ x: 0, y: 0 }));
    const push = (i, j, size) => {
      const dx = at[i].x - at[j].x;
      const dy = at[i].y - at[j].y;
      const d = Math.hypot(dx, dy) || 1e-3;
      const f = size(d) / d;
      force[i].x += f * dx; force[i].y += f * dy;
      force[j].x -= f * dx; force[j].y -= f * dy;
    };
    for (let i = 0; i < count; ++i) for (let j = 0; j < i; ++j) push(i, j, (d) => (length * length) / d);
    for (const e of edges) if (e.from !== e.to) push(e.from, e.to, (d) => -(d * d) / length);
    at.forEach((p, i) => {
      const d = Math.hypot(force[i].x, force[i].y) || 1;
      const step = Math.min(d, reach) / d;
      p.x = Math.min(width - 40, Math.max(40, p.x + step * force[i].x));
      p.y = Math.min(height - 24, Math.max(24, p.y + step * force[i].y));
    });
  }
  return at;
}

// Elements between the same nodes are drawn beside each other.
function drawGraph(graph) {
  const width = 760;
  const height = Math.min(640, 260 + 8 * graph.nodes.length);
  const at = layout(graph.nodes.length, graph.edges, width, height);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'circuit', role: 'img' });
  const between = new Map();
  for (const e of graph.edges) {
    if (e.from === e.to) continue;
    const key = [Math.min(e.from, e.to), Math.max(e.from, e.to)].join('-');
    const number = between.get(key) ?? 0;
    between.set(key, number + 1);
    const [a, b] = [at[Math.min(e.from, e.to)], at[Math.max(e.from, e.to)]];
    const d = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const bend = (number % 2 ? -1 : 1) * 22 * Math.ceil(number / 2);
    const middle = { x: (a.x + b.x) / 2 - (bend * (b.y - a.y)) / d, y: (a.y + b.y) / 2 + (bend * (b.x - a.x)) / d };
    const kind = `edge ${e.kind}${e.marked ? ' marked' : ''}`;
    const path = `M${a.x} ${a.y} Q${2 * middle.x - (a.x + b.x) / 2} ${2 * middle.y - (a.y + b.y) / 2} ${b.x} ${b.y}`;
    picture.append(svg('path', { d: path, class: kind, 'data-element': e.element }));
    picture.append(svg('text', { x: middle.x, y: middle.y, class: `name${e.marked ? ' marked' : ''}` }, e.element));
  }
  graph.nodes.forEach((name, i) => {
    picture.append(svg('circle', { cx: at[i].x, cy: at[i].y, r: i ? 4 : 7, class: i ? 'node' : 'node ground' }));
    picture.append(svg('text', { x: at[i].x + 8, y: at[i].y - 6, class: 'node-name' }, i ? name : '0'));
  });
  return picture;
}

const turned = (phase) => {
  let offset = 0;
  return phase.map((p, i) => {
    if (i && p - phase[i - 1] > 180) offset -= 360;
    else if (i && p - phase[i - 1] < -180) offset += 360;
    return p + offset;
  });
};

function bode(page, ac, printed) {
  const f = Float64Array.from(ac, (point) => point.f);
  const names = Object.keys(ac[0].y).filter((name) => name.startsWith('v(') && !name.includes('#'));
  const size = (name) => Math.max(...ac.map((p) => Math.hypot(p.y[name].re, p.y[name].im)));
  const wanted = names.filter((name) => printed.includes(name) && size(name) > 0);
  const shown = (wanted.length ? wanted : names.filter((name) => size(name) > 0)).slice(0, 6);
  if (!shown.length || f.length < 2) return;
  const series = (value) => shown.map((name, i) => ({ label: name, values: value(name), colour: colours[i % colours.length] }));
  const decibel = (name) => Float64Array.from(ac, (p) => 20 * Math.log10(Math.hypot(p.y[name].re, p.y[name].im)));
  const phase = (name) => Float64Array.from(turned(ac.map((p) => (Math.atan2(p.y[name].im, p.y[name].re) * 180) / Math.PI)));
  const grid = element('div.grid');
  page.append(element('h2', 'Small signals'), grid);
  for (const [title, note, value] of [['Magnitude', 'dB', decibel], ['Phase', 'degrees, continued', phase]]) {
    const place = element('div.plot');
    grid.append(element('div.card', element('div.plot-head', element('h3', title), element('span.soft', note)), place));
    plot(place, { t: f, logarithmicTime: true, over: 'f (Hz)', series: series(value) });
  }
}

export function circuitParts(page, run) {
  const { circuit } = run;
  if (!circuit) return;
  const card = element('div.card');
  card.append(element('div.plot-head', element('h3', 'Circuit'),
    element('span.soft', `${circuit.nodes} nodes, index ${circuit.index.topology}`)));
  card.append(element('p', { id: 'circuit-index' }, circuit.index.text));
  if (circuit.graph) card.append(drawGraph(circuit.graph));
  else card.append(element('p.empty', 'The circuit has too many elements for a drawing.'));
  for (const w of circuit.warnings ?? [])
    card.append(element('p.soft', `${w.file}:${w.line}: ${w.text}${w.hint ? ` (${w.hint})` : ''}`));
  page.append(element('h2', 'Circuit'), card);
  if (run.poles?.length)
    card.append(element('p.soft', `poles (rad/s): ${run.poles.map((z) => (z.im ? `${brief(z.re)} ${z.im < 0 ? '−' : '+'} ${brief(Math.abs(z.im))} i` : brief(z.re))).join(', ')}`));
  if (run.ac?.length) bode(page, run.ac, circuit.printed ?? []);
}
