// SPDX-License-Identifier: BSD-3-Clause
// Plots over time: all share one zoom, one cursor and the mark of the animation's time.
import uPlot from 'uplot';
import { brief, extent, power } from './data.js';
import { colours, element, style } from './dom.js';

const plots = new Set();
const others = new Set(); // over something else than time: a zoom of their own
let zoom = null; // [from, to] of all plots; null: everything
let spreading = false;
let now = null;

export const allPlots = () => [...plots, ...others];

// Most of the points in the first thousandth of the interval: time on a logarithmic axis.
export function logarithmicTime(t) {
  const n = t.length;
  if (n < 3 || t[0] < 0 || !(t[n - 1] > t[0])) return false;
  return t[n >> 1] - t[0] < 1e-3 * (t[n - 1] - t[0]);
}

// uPlot wants ascending times; positive ones on logarithmic axes; and null, not NaN, for gaps.
function prepared(t, columns, logarithmic, logarithmicY) {
  const n = t.length;
  const order = Array.from({ length: n }, (_, i) => i);
  const backwards = n > 1 && t[n - 1] < t[0];
  const usable = order.filter((i) => !logarithmic || t[i] > 0);
  if (backwards) usable.reverse();
  const plain = usable.length === n && !backwards;
  const pick = (values, y) => {
    const bad = (v) => v === null || Number.isNaN(v) || (y && logarithmicY && !(v > 0));
    if (plain && !values.some(bad)) return values;
    return usable.map((i) => (y && bad(values[i]) ? null : values[i]));
  };
  return [pick(t, false), ...columns.map((c) => pick(c, true))];
}

function tickTexts(u, splits) {
  const shown = splits.filter((v) => v !== null);
  const largest = Math.max(...shown.map(Math.abs), 0);
  const step = shown.length > 1 ? Math.abs(shown[1] - shown[0]) : largest;
  const digits = step > 0 ? Math.max(1, Math.min(15, Math.ceil(Math.log10(largest / step)) + 2)) : 4;
  return splits.map((v) => (v === null ? '' : Math.abs(v) < 1e-9 * step ? '0' : brief(v, digits)));
}
const powerTexts = (u, splits) => splits.map((v) => {
  if (v === null) return '';
  const k = Math.log10(v);
  return Math.abs(k - Math.round(k)) < 1e-9 ? power(Math.round(k)) : brief(v, 2);
});
// Powers of ten, so many that their texts do not touch; 1, 2, 5 between them where there are few.
const decades = (room) => (u, index, low, high) => {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  const to = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((to - from + 1) / room));
  const splits = [];
  for (let k = from - 1; k <= to; ++k)
    for (const digit of to - from < 2 ? [1, 2, 5] : [1]) {
      const value = Number(`${digit}e${k}`);
      if (k % stride === 0 && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) splits.push(value);
    }
  return splits;
};

function axis(logarithmic, vertical, whole) {
  const look = {
    stroke: () => style('--soft'),
    grid: { stroke: () => style('--grid'), width: 1 },
    ticks: { stroke: () => style('--grid'), width: 1, size: 5 },
    font: '12px system-ui, "DejaVu Sans", sans-serif',
    values: logarithmic ? powerTexts : tickTexts,
  };
  if (logarithmic) {
    look.splits = decades(vertical ? 6 : 8);
    look.filter = (u, splits) => splits;
  }
  if (whole) look.incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000];
  if (vertical) {
    look.size = (u, values) => {
      const longest = Math.max(3, ...(values ?? []).map((v) => (v ?? '').length));
      return Math.ceil(16 + 6.6 * longest);
    };
  } else {
    look.space = 70;
    look.size = 28;
    look.label = 't';
    look.labelSize = 18;
    look.labelGap = -2;
    look.labelFont = 'italic 13px system-ui, "DejaVu Sans", sans-serif';
  }
  return look;
}

// The range of a logarithmic axis: whole decades, never empty.
function decadeRange(u, low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-1, 1];
  const from = Math.floor(Math.log10(low));
  const to = Math.ceil(Math.log10(high));
  return [10 ** from, 10 ** (to > from ? to : from + 1)];
}
// uPlot looks for ticks without end where neighbouring ones are the same number.
function wideEnough(low, high) {
  const least = Math.max(1e-10 * Math.max(Math.abs(low), Math.abs(high)), 1e-28);
  if (high - low >= least) return [low, high];
  const middle = 0.5 * (low + high);
  return [middle - least, middle + least];
}
// Plots begin and end with the run, whatever they show of it.
let span = null;
export function setSpan(from, to) {
  span = [Math.min(from, to), Math.max(from, to)];
}
const whole = (t) => [Math.min(t[0], span?.[0] ?? t[0]), Math.max(t[t.length - 1], span?.[1] ?? t[0])];
function timeRange(u, low, high) {
  if (low === null) return [null, null];
  const t = u.data[0];
  return low === t[0] && high === t[t.length - 1] ? wideEnough(...whole(t)) : wideEnough(low, high);
}
function linearRange(u, low, high) {
  if (low === null || !Number.isFinite(low)) return [0, 1];
  if (low === high) {
    const pad = low === 0 ? 1 : 0.05 * Math.abs(low);
    return wideEnough(low - pad, high + pad);
  }
  const pad = 0.06 * (high - low);
  return wideEnough(low - pad, high + pad);
}

const wholeRange = (u, low, high) => (low === null ? [0, 1] : [Math.max(0, low - 1), high + 1]);

function spread(u) {
  if (spreading) return;
  const { min, max } = u.scales.x;
  const all = min <= u.data[0][0] && max >= u.data[0][u.data[0].length - 1];
  zoom = all ? null : [min, max];
  spreading = true;
  for (const other of plots) if (other !== u) applyZoom(other);
  spreading = false;
}
function applyZoom(u) {
  const t = u.data[0];
  if (!t.length) return;
  const [min, max] = zoom ?? (u.scales.x.distr === 3 ? [t[0], t[t.length - 1]] : whole(t));
  if (max > min) u.setScale('x', { min, max });
}

function placeMark(u) {
  const mark = u.root.querySelector('.now');
  if (!mark) return;
  const shown = now !== null && now >= u.scales.x.min && now <= u.scales.x.max;
  mark.style.display = shown ? 'block' : 'none';
  if (shown) mark.style.left = `${u.valToPos(now, 'x')}px`;
}
export function markTime(t) {
  now = t;
  for (const u of plots) placeMark(u);
}

const unitLabel = (unit) => ({ label: `[${unit}]`, labelSize: 18, labelGap: -2, labelFont: '12px system-ui, "DejaVu Sans", sans-serif' });

// For screen readers and keyboards: what the picture shows, and names that hide their curves.
function describe(u, title, names) {
  const canvas = u.ctx.canvas;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${title || 'plot'}: ${names.join(', ')} over ${u.series[0].label}`);
  u.root.querySelectorAll('.u-legend .u-series').forEach((row, i) => {
    const head = row.querySelector('th');
    if (!head || i === 0) return;
    head.tabIndex = 0;
    head.setAttribute('role', 'button');
    const say = () => head.setAttribute('aria-pressed', String(u.series[i].show !== false));
    head.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      u.setSeries(i, { show: u.series[i].show === false });
    });
    (u.hooks.setSeries ??= []).push(say);
    say();
  });
}

// series: [{label, values, colour?, stepped?, points?: only dots, dash?, gaps?: drawn across}]; counts: whole numbers;
// over: what t is, where it is not the time; bands: [{series: [upper, lower], fill}], the first series is 1
export function plot(parent, { t, series, logarithmic = false, logarithmicTime: byDecades = false, counts = false, over = 't', height = 240, title = '', unit = '', bands = [] }) {
  const byTime = over === 't';
  const data = prepared(t, series.map((s) => s.values), byDecades, logarithmic);
  const options = {
    width: Math.max(260, parent.clientWidth),
    height,
    legend: { live: true, markers: { width: 0, fill: (u, i) => u.series[i].stroke?.(u, i) ?? 'transparent' } },
    cursor: { ...(byTime ? { sync: { key: 'time', scales: ['x', null] } } : {}), drag: { x: true, y: false, dist: 4 }, focus: { prox: 24 } },
    focus: { alpha: 0.45 },
    bands,
    scales: {
      x: { time: false, distr: byDecades ? 3 : 1, ...(byDecades ? { log: 10 } : { range: timeRange }) },
      y: logarithmic ? { distr: 3, log: 10, range: decadeRange } : { range: counts ? wholeRange : linearRange },
    },
    axes: [{ ...axis(byDecades, false, false), label: over }, { ...axis(logarithmic, true, counts), ...(unit ? unitLabel(unit) : {}) }],
    series: [
      { label: over, value: (u, v) => brief(v, 6) },
      ...series.map((s, i) => ({
        label: s.label,
        stroke: s.colour ?? colours[i % colours.length],
        width: s.points ? 0 : 1.6,
        dash: s.dash,
        spanGaps: s.gaps ?? false, // rejected attempts between accepted steps are no gap of these
        paths: s.points ? () => null : s.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: s.points ? { show: true, size: 6, fill: s.colour } : { show: false },
        value: (u, v) => brief(v, 6),
      })),
    ],
    hooks: !byTime ? {} : {
      setScale: [(u, key) => { if (key === 'x') { spread(u); placeMark(u); } }],
      setSize: [placeMark],
    },
  };
  spreading = true; // its own first range is no zoom of the others
  const u = new uPlot(options, data, parent);
  describe(u, title, series.map((s) => s.label));
  if (!byTime) {
    others.add(u);
    spreading = false;
    return u;
  }
  u.over.append(element('div.now'));
  plots.add(u);
  if (zoom) applyZoom(u);
  spreading = false;
  placeMark(u);
  return u;
}

export function removePlot(u) {
  plots.delete(u);
  u.destroy();
}

let waiting = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    for (const u of allPlots()) u.setSize({ width: Math.max(260, u.root.parentElement.clientWidth), height: u.height });
  });
});
export const redraw = () => { for (const u of allPlots()) u.redraw(false, true); };

// Panels by class and, among those, by size: curves that would lie flat get a panel of their own.
export function arrange(variables, column, mostCurves = 7, mostPanels = 8) {
  const groups = new Map();
  for (const v of variables) {
    const key = v.class ?? '';
    if (!groups.has(key)) groups.set(key, []);
    const [low, high] = extent(column(v.name));
    groups.get(key).push({ name: v.name, size: Math.max(Math.abs(low), Math.abs(high)) });
  }
  const panels = [];
  for (const [key, curves] of groups) {
    curves.sort((a, b) => b.size - a.size);
    let largest = 0;
    curves.forEach((curve, k) => {
      const flat = curve.size > 0 && curve.size < largest / 30;
      if (k === 0 || flat || panels[panels.length - 1].names.length === mostCurves) {
        panels.push({ label: key, names: [] });
        largest = curve.size;
      }
      panels[panels.length - 1].names.push(curve.name);
    });
  }
  const place = new Map(variables.map((v, i) => [v.name, i]));
  for (const p of panels) p.names.sort((a, b) => place.get(a) - place.get(b));
  return { panels: panels.slice(0, mostPanels), left: panels.length > mostPanels };
}
