// SPDX-License-Identifier: BSD-3-Clause
// The report of one run. Everything shown is taken from the document in #run.
import { circuitParts } from './circuit.js';
import { brief, extent, numbers, readRun } from './data.js';
import { comparison } from './compare.js';
import { colours, element, style } from './dom.js';
import { fitPage } from './fit.js';
import { allPlots, arrange, logarithmicTime, markTime, plot, redraw, removePlot, setSpan } from './plots.js';
import { animate } from './scene.js';
import { sweepPage } from './sweep.js';
import { anglesOf, exportButtons, numberCards, rotations } from './tables.js';

const run = readRun();
const page = document.getElementById('page');
const model = run.model ?? {};
const statistics = run.statistics ?? {};
const steps = run.steps ?? {};
const good = run.status === 'success' || run.status === 'stopped_by_event';
const t = numbers(run.trajectory?.t);
const column = (name) => numbers(run.trajectory.y[name]);
const variables = run.variables ?? Object.keys(run.trajectory?.y ?? {}).map((name) => ({ name, class: '', index: null }));
const byDecades = logarithmicTime(t);
if (t.length) setSpan(t[0], t[t.length - 1]);

const words = (text) => String(text ?? '').replaceAll('_', ' ');
const classNames = {
  q: 'positions q', v: 'velocities v', lambda: 'multipliers λ', eta: 'multipliers η', y: 'variables y',
  z: 'algebraic variables z', s: 'contact coordinates s', c: 'dynamic variables c', a: 'accelerations',
};

function header() {
  document.title = `${model.title ?? run.problem} – daedalus`;
  const where = [run.problem];
  if (model.form) where.push(`${model.form} form, index ${model.index}`);
  where.push(`${variables.length} variables`);
  const [from, to] = run.interval ?? [t[0], run.t];
  where.push(`t = ${brief(from)} … ${brief(to)}`);
  const theme = element('button', { title: 'light or dark', ariaLabel: 'light or dark colours' }, '◐');
  theme.addEventListener('click', () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  page.append(element('header',
    element('div', element('h1', model.title ?? run.problem), element('p.soft', where.join(' · '))),
    element(good ? 'span.pill' : 'span.pill.bad', { id: 'status' }, words(run.status)), theme));
  if (!good)
    page.append(element('div.banner.bad', { id: 'failure' },
      element('b', `The run ended at t = ${brief(run.t)}.`), run.message ?? ''));
  for (const warning of run.warnings ?? [])
    page.append(element('div.banner', element('b', 'Warning.'), warning));
}

function tile(name, value, note) {
  return element('div.tile', element('div.name', name), element('div.value', value), note ? element('div.note', note) : null);
}
const tolerance = (value) => {
  if (!value) return brief(value);
  if (!Array.isArray(value) && value.$f64 === undefined) return brief(value);
  const [low, high] = extent(numbers(value));
  return low === high ? brief(low) : `${brief(low)} … ${brief(high)}`;
};

function tiles() {
  const list = [tile('Method', run.method ?? '–', run.formulation ? `formulation ${run.formulation}` : null)];
  if (run.rtol !== undefined) list.push(tile('Tolerance', `rtol ${brief(run.rtol)}`, `atol ${tolerance(run.atol)}`));
  list.push(tile('Steps', brief(statistics.steps), `${brief(statistics.rejected)} of them rejected`));
  list.push(tile('Time', statistics.seconds < 1 ? `${brief(1000 * statistics.seconds, 3)} ms` : `${brief(statistics.seconds, 3)} s`,
    'of the solver'));
  if (run.error)
    list.push(tile('Error at the end', brief(run.error.relative, 3), run.error.scd > 0 ? `relative; ${brief(run.error.scd, 3)} digits` : 'relative; no digit is right'));
  if (run.constraints)
    list.push(tile('Constraints', brief(run.constraints.position_max ?? run.constraints.velocity_max, 3),
      run.constraints.position_max === null ? 'largest residual, velocities' : 'largest residual, positions'));
  if (run.events?.length) list.push(tile('Events', brief(run.events.length), run.events[0].name));
  page.append(element('div.tiles', list));
}

const facts = (pairs) => element('dl', pairs.filter(([, v]) => v !== null && v !== undefined && v !== '')
  .flatMap(([k, v]) => [element('dt', k), element('dd', v instanceof Node ? v : String(v))]));

function how() {
  const worst = Object.entries(steps.worst ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 4);
  const total = Object.values(steps.worst ?? {}).reduce((a, b) => a + b, 0);
  const share = (n) => Math.round((100 * n) / total);
  return element('div.card', element('h3', 'How it was solved'), facts([
    ['method', run.method],
    ['formulation', run.formulation],
    ['why', run.reason],
    ['linear solver', run.linear_solver],
    ['status', words(run.status)],
    ['end', `t = ${brief(run.t, 10)}`],
    ['message', good ? run.message : null],
    ['step sizes', `${brief(statistics.h_min, 3)} … ${brief(statistics.h_max, 3)}`],
    ['limited by', worst.filter(([, n]) => share(n) > 0).map(([name, n]) => `${name} ${share(n)} %`).join(', ')],
    ['command', run.command ? element('code', run.command) : null],
    ['source', model.source],
  ]));
}

function panelHead(title, note, ...extra) {
  return element('div.plot-head', element('h3', title), note ? element('span.soft', note) : null, ...extra);
}
// What all of these variables are measured in; empty: they differ, or nothing is known.
const unitOf = (names) => {
  const all = new Set(names.map((name) => run.units?.[name] ?? ''));
  return all.size === 1 ? [...all][0] : '';
};

// A plot of variables with a list to choose others.
function variablePanel(grid, title, names, wide) {
  const chosen = new Set(names);
  const place = element('div.plot');
  let current = null;
  const update = () => {
    if (current) removePlot(current);
    place.replaceChildren();
    current = null;
    if (!chosen.size) {
      place.append(element('p.empty', 'No variable is chosen.'));
      return;
    }
    const shown = variables.filter((v) => chosen.has(v.name));
    current = plot(place, {
      t, logarithmicTime: byDecades, title, unit: unitOf([...chosen]),
      series: shown.map((v, i) => ({ label: v.name, values: column(v.name), colour: colours[i % colours.length] })),
    });
  };
  const rows = () => variables.map((v) => {
    const box = element('input', { type: 'checkbox', checked: chosen.has(v.name) });
    box.addEventListener('change', () => {
      if (box.checked) chosen.add(v.name);
      else chosen.delete(v.name);
      update();
    });
    return element('label', { title: v.name }, box, v.name, element('span', v.class ?? ''));
  });
  const menu = element('details', element('summary', 'choose variables'));
  menu.addEventListener('toggle', () => {
    if (!menu.open || menu.children.length > 1) return;
    const search = element('input', { type: 'search', placeholder: 'name', ariaLabel: 'names that contain' });
    const labels = rows();
    search.addEventListener('input', () => {
      for (const label of labels) label.hidden = !label.title.toLowerCase().includes(search.value.toLowerCase());
    });
    menu.append(element('div.chooser', search, labels));
  });
  grid.append(element(wide ? 'div.card.wide' : 'div.card', panelHead(title, null, exportButtons(title, () => current, style), menu), place));
  update();
}

// A rotation matrix as three angles; its entries can be chosen in every other plot.
function rotationPanel(grid, rotation, wide) {
  const title = `rotation ${rotation.name}`;
  const place = element('div.plot');
  let current = null;
  grid.append(element(wide ? 'div.card.wide' : 'div.card',
    panelHead(title, 'turns about z, y, x; the nine entries are among the variables to choose', exportButtons(title, () => current, style)), place));
  current = plot(place, { t, logarithmicTime: byDecades, title, unit: '°',
    series: anglesOf(rotation, (name) => run.trajectory.y[name]).map((s, i) => ({ ...s, colour: colours[i] })) });
}

// Panels of one class are told apart by what they show.
function panelTitles(panels) {
  const title = (p) => classNames[p.label] ?? (p.label || 'variables');
  const count = new Map();
  for (const p of panels) count.set(title(p), (count.get(title(p)) ?? 0) + 1);
  return panels.map((p) => (count.get(title(p)) === 1 ? title(p)
    : `${title(p)}: ${p.names.length > 3 ? `${p.names[0]} … ${p.names[p.names.length - 1]}` : p.names.join(', ')}`));
}

function trajectory() {
  const turns = rotations(variables);
  const inMatrix = new Set(turns.flatMap((r) => Object.values(r.names)));
  const { panels, left } = arrange(variables.filter((v) => !inMatrix.has(v.name)), column);
  const grid = element('div.grid');
  const note = 'Drag to zoom, double click for everything, click a name to hide its curve.';
  page.append(element('h2', 'Trajectories'),
    element('p.soft', left ? `${note} The largest variables are shown; each plot can show any.` : note),
    element('div.gap'), grid);
  // A last one that would stand alone takes the whole width.
  const count = panels.length + turns.length;
  const alone = (k) => k === count - 1 && k % 2 === 0;
  turns.forEach((rotation, k) => rotationPanel(grid, rotation, alone(k)));
  const titles = panelTitles(panels);
  panels.forEach((panel, k) => variablePanel(grid, titles[k], panel.names, alone(k + turns.length)));
}

function stepPanels() {
  const at = numbers(steps.t);
  const grid = element('div.grid');
  const panels = [];
  const add = (title, note, options) => panels.push((kind) => {
    const place = element('div.plot');
    let current = null;
    grid.append(element(kind, panelHead(title, note, exportButtons(title, () => current, style)), place));
    current = plot(place, { logarithmicTime: byDecades, title, ...options });
  });
  // What there is nothing to draw of gets a line, no card.
  const notes = element('p.soft');
  const missing = (title, text) => notes.append(element('span.note', element('b', `${title}: `), text, ' '));
  page.append(element('h2', 'The run, step by step'), notes, grid);
  if (at.length) {
    const h = numbers(steps.h).map(Math.abs);
    const accepted = steps.outcome.map((o) => o === 'accepted');
    const only = (values, wanted) => values.map((v, i) => (accepted[i] === wanted ? v : NaN));
    // Repeated attempts share their time: curves run through the accepted steps alone.
    const keep = [...at.keys()].filter((i) => accepted[i]);
    const of = (values) => Float64Array.from(keep, (i) => values[i]);
    const refused = accepted.includes(false);
    const split = (values, name) => refused
      ? [{ label: name, values: only(values, true), colour: colours[0], gaps: true },
        { label: 'rejected', values: only(values, false), colour: colours[3], points: true }]
      : [{ label: name, values, colour: colours[0] }];
    add('Step size', 'h of every attempt', { t: at, logarithmic: true, series: split(h, 'h') });
    add('Order', 'of accepted steps', { t: of(at), counts: true, series: [{ label: 'order', values: of(numbers(steps.order)), colour: colours[4], stepped: true }] });
    const error = numbers(steps.error);
    if (error.some((v) => v > 0))
      add('Error per step', 'estimate / tolerance; above 1 the step is rejected',
        { t: at, logarithmic: true, series: [...split(error, 'error'), { label: 'tolerance', values: error.map(() => 1), colour: '#8a94a3', dash: [5, 4] }] });
    else missing('Error per step', 'No error test: the steps were prescribed.');
    const newton = numbers(steps.newton_iterations);
    if (newton.some((v) => v > 0)) add('Newton iterations', 'per attempt', { t: at, counts: true, series: split(newton, 'iterations') });
    else missing('Newton iterations', 'None: the method solves no nonlinear equations.');
  }
  if (run.residuals) {
    const { residuals } = run;
    const levels = [['position', '|g|'], ['velocity', '|G v + g_t|'], ['acceleration', '|d²g/dt²|']];
    const series = levels.map(([key, label], i) => ({ label: `${key} ${label}`, values: numbers(residuals[key]), colour: colours[i] }))
      .filter((s) => s.values.some((v) => v > 0));
    if (series.length) add('Constraint residuals', 'after every step', { t: numbers(residuals.t), logarithmic: true, series });
    else missing('Constraint residuals', 'All residuals are zero.');
  } else if (run.constraints) {
    missing('Constraint residuals', 'Not recorded: solve with --watch-drift or --report.');
  }
  const invariants = Object.entries(run.invariants ?? {});
  for (const [name, values] of invariants) {
    const all = numbers(values);
    const first = all[0];
    const scale = Math.abs(first) > 0 ? Math.abs(first) : 1;
    add(`Change of the ${name}`, Math.abs(first) > 0 ? `relative to ${brief(first)} at the start` : 'from 0 at the start',
      { t, series: [{ label: name, values: all.map((v) => (v - first) / scale), colour: colours[2] }] });
  }
  if (run.kinetic_energy)
    add('Kinetic energy', invariants.length ? '½ vᵀ M v' : '½ vᵀ M v; the model states no energy that stays constant',
      { t, series: [{ label: 'kinetic energy', values: numbers(run.kinetic_energy), colour: colours[5] }] });
  panels.forEach((panel, k) => panel(k === panels.length - 1 && k % 2 === 0 ? 'div.card.wide' : 'div.card'));
}

function tables() {
  const grid = element('div.grid');
  numberCards(run, grid);
  if (model.equations) grid.append(element('div.card', element('h3', 'Equations'), element('pre', model.equations)));
  if (grid.children.length) page.append(element('h2', 'Numbers'), grid);
  page.append(element('footer', 'Made by daedalus from the output of the run; this page needs no network.'));
}

const preferred = matchMedia('(prefers-color-scheme: dark)');
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  redraw();
}
document.documentElement.dataset.theme = preferred.matches ? 'dark' : 'light';
preferred.addEventListener('change', () => setTheme(preferred.matches ? 'dark' : 'light'));

function onePage() {
  header();
  tiles();
  const top = element(run.scene ? 'div.top.moving' : 'div.top');
  page.append(element('h2.unseen', 'Overview'), top);
  if (run.scene) {
    const card = element('div.card', panelHead('Motion', 'drag to turn; after a click the wheel zooms; space plays, arrows step'));
    top.append(card, how());
    stage = animate(card, run.scene, markTime);
  } else {
    top.append(how());
  }
  circuitParts(page, run);
  trajectory();
  stepPanels();
  tables();
  if (stage) markTime(stage.time);
}

let stage = null;
if (run.comparison) comparison(page, run.comparison);
else if (run.sweep_page) sweepPage(page, run);
else if (run.fit) fitPage(page, run);
else onePage();

// For tests and for those who look with the console.
window.daedalus = { run, numbers, column, stage, plots: allPlots };
requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); });
