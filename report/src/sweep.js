// SPDX-License-Identifier: BSD-3-Clause
// The page of a sweep: what many runs say together. Bands hold half and nine tenths of the runs.
import { brief, numbers } from './data.js';
import { colours, element } from './dom.js';
import { logarithmicTime, plot, setSpan } from './plots.js';

const words = (text) => String(text ?? '').replaceAll('_', ' ');
const percent = (p) => `${brief(100 * p)} %`;

function tile(name, value, note) {
  return element('div.tile', element('div.name', name), element('div.value', value), note ? element('div.note', note) : null);
}

function card(parent, title, note) {
  const node = element('div.card', element('h3', title), note ? element('p.soft', note) : null);
  parent.append(node);
  return node;
}

function table(head, rows) {
  return element('table', element('thead', element('tr', head.map((h) => element('th', h)))),
    element('tbody', rows.map((row) => element('tr', row.map((cell) => element('td', String(cell)))))));
}

function bands(page, data) {
  const t = numbers(data.t);
  if (t.length) setSpan(t[0], t[t.length - 1]);
  const p = numbers(data.probabilities);
  const grid = element('div.grid');
  page.append(element('h2', 'Bands over time'), grid);
  Object.entries(data.y).forEach(([name, curves], i) => {
    const colour = colours[i % colours.length];
    const at = (k) => numbers(curves[k]);
    const node = card(grid, name, `${percent(p[0])} to ${percent(p[4])}, ${percent(p[1])} to ${percent(p[3])}, median`);
    plot(node, {
      t, title: name, logarithmicTime: logarithmicTime(t),
      series: [0, 1, 2, 3, 4].map((k) => ({ label: k === 2 ? 'median' : percent(p[k]), values: at(k), colour: k === 2 ? colour : `${colour}66` })),
      bands: [{ series: [5, 1], fill: `${colour}22` }, { series: [4, 2], fill: `${colour}44` }],
    });
  });
}

// End values as dots over each parameter.
function points(page, data) {
  const parameters = Object.entries(data.parameters).filter(([, values]) => new Set(numbers(values)).size > 1);
  if (!parameters.length) return;
  const grid = element('div.grid');
  page.append(element('h2', 'End values over parameters'), grid);
  for (const [parameter, values] of parameters) {
    const x = numbers(values);
    const order = Array.from(x.keys()).sort((a, b) => x[a] - x[b]);
    Object.entries(data.y).forEach(([name, column], i) => {
      const y = numbers(column);
      plot(card(grid, `${name} over ${parameter}`), {
        t: order.map((k) => x[k]), over: parameter, title: name,
        series: [{ label: name, values: order.map((k) => y[k]), points: true, colour: colours[i % colours.length] }],
      });
    });
  }
}

function failures(page, sweep) {
  const grid = element('div.grid');
  page.append(element('h2', 'Failures'), grid);
  const counts = card(grid, 'How the runs ended');
  counts.id = 'statuses';
  counts.append(table(['status', 'runs'], Object.entries(sweep.statuses).map(([status, n]) => [words(status), n])));
  if (!sweep.failures.length) return;
  const list = card(grid, 'Runs that failed', sweep.failed > sweep.failures.length ? `the first ${sweep.failures.length} of ${sweep.failed}` : '');
  const names = Object.keys(sweep.failures[0].parameters);
  list.append(table(['run', ...names, 'status', 't', 'message'], sweep.failures.map((f) =>
    [f.run, ...names.map((n) => brief(f.parameters[n])), words(f.status), brief(f.t), f.message])));
}

export function sweepPage(page, run) {
  const sweep = run.sweep_page;
  document.title = `${sweep.title || run.problem}: ${sweep.runs} runs – daedalus`;
  page.append(element('header', element('div', element('h1', sweep.title || run.problem),
    element('p.soft', [run.problem, ...sweep.set].join(' · '))),
  element(sweep.failed ? 'span.pill.bad' : 'span.pill', { id: 'status' }, sweep.failed ? `${sweep.failed} failed` : 'all succeeded')));
  const s = sweep.sampling;
  page.append(element('div.tiles', [
    tile('Runs', `${sweep.done}`, sweep.done < sweep.runs ? `of ${sweep.runs}; the others were not made` : null),
    tile('Failed', `${sweep.failed}`, sweep.failed ? percent(sweep.failed / sweep.done) : 'none'),
    s ? tile('Samples', `${s.samples}`, `${s.kind}, seed ${s.seed}`) : null,
    tile('Time', `${brief(sweep.seconds, 3)} s`, `${sweep.threads} threads`)].filter(Boolean)));
  if (sweep.bands) bands(page, sweep.bands);
  points(page, sweep.points);
  const grid = element('div.grid');
  page.append(element('h2', 'Quantiles of the end values'), grid);
  card(grid, 'Quantiles').append(table(['variable', '5 %', '25 %', '50 %', '75 %', '95 %'],
    Object.entries(sweep.quantiles).map(([name, q]) => [name, ...numbers(q)].map((v) => (typeof v === 'number' ? brief(v, 6) : v)))));
  failures(page, sweep);
  page.append(element('footer', 'Made by daedalus from the runs of the sweep; this page needs no network.'));
}
