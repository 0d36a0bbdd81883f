// SPDX-License-Identifier: BSD-3-Clause
// The page of a fit: estimates, data beside the model with its band, residuals, correlations, costs, starts.
import { brief, numbers } from './data.js';
import { colours, element, style } from './dom.js';
import { logarithmicTime, plot, setSpan } from './plots.js';
import { exportButtons, tableCard } from './tables.js';

const words = (text) => String(text ?? '').replaceAll('_', ' ');
const outlier = 4; // sigmas: one in 16000 of good data

function panel(grid, title, note, options) {
  const place = element('div.plot');
  let current = null;
  grid.append(element('div.card', element('div.plot-head', element('h3', title), note ? element('span.soft', note) : null,
    exportButtons(title, () => current, style)), place));
  current = plot(place, { title, ...options });
}

// Several curves with times of their own on one axis: NaN where a curve has no point.
function onOneAxis(parts) {
  const t = Float64Array.from([...new Set(parts.flatMap((p) => [...p.t]))].sort((a, b) => a - b));
  const place = new Map([...t].map((v, i) => [v, i]));
  return { t, series: parts.map(({ t: own, values, ...rest }) => {
    const all = new Float64Array(t.length).fill(NaN);
    own.forEach((at, k) => { all[place.get(at)] = values[k]; });
    return { ...rest, values: all };
  }) };
}

function dataPanels(grid, run, experiment) {
  for (const output of experiment.outputs) {
    const [t, value, at, curve, band] = ['t', 'value', 'curve_t', 'curve', 'band'].map((key) => numbers(output[key]));
    const edge = (sign) => curve.map((v, k) => v + sign * band[k]);
    const parts = [{ label: `${output.name} measured`, t, values: value, colour: colours[1], points: true }];
    if (at.length)
      parts.push({ label: 'model', t: at, values: curve, colour: colours[0], gaps: true },
        { label: 'above', t: at, values: edge(1), colour: colours[0], gaps: true, dash: [4, 4] },
        { label: 'below', t: at, values: edge(-1), colour: colours[0], gaps: true, dash: [4, 4] });
    panel(grid, `${experiment.name}: ${output.name}`, `dashed: ${brief(100 * (run.confidence ?? 0.95))} % band of the model`,
      { ...onOneAxis(parts), logarithmicTime: logarithmicTime(at.length ? at : t) });
  }
}

function residualPanel(grid, experiment) {
  const parts = experiment.outputs.map((o, i) => ({ label: o.name, t: numbers(o.t), values: numbers(experiment.residuals[o.name]),
    colour: colours[i % colours.length], points: true }));
  const far = parts.flatMap((p) => [...p.values].map((r, k) => ({ t: p.t[k], r }))).filter(({ r }) => Math.abs(r) > outlier);
  if (far.length)
    parts.push({ label: `beyond ${outlier} sigma`, t: Float64Array.from(far, (f) => f.t), values: Float64Array.from(far, (f) => f.r), colour: '#d33', points: true });
  panel(grid, `${experiment.name}: residuals`, 'in sigmas', onOneAxis(parts));
}

// Of the standard normal distribution (Abramowitz and Stegun 26.2.23, error below 5e-4: a pixel).
function normalQuantile(p) {
  if (p > 0.5) return -normalQuantile(1 - p);
  const s = Math.sqrt(-2 * Math.log(p));
  return -(s - (2.515517 + 0.802853 * s + 0.010328 * s * s) / (1 + 1.432788 * s + 0.189269 * s * s + 0.001308 * s * s * s));
}

function quantilePanel(grid, fit) {
  const all = fit.experiments.flatMap((e) => Object.values(e.residuals).flatMap((r) => [...numbers(r)])).sort((a, b) => a - b);
  const at = Float64Array.from(all, (_, k) => normalQuantile((k + 0.5) / all.length));
  panel(grid, 'Residuals against normal quantiles', 'on the line: errors are normal with the given sigmas', { t: at, over: 'normal quantile',
    series: [{ label: 'residuals', values: Float64Array.from(all), colour: colours[1], points: true },
      { label: 'normal', values: at, colour: '#8a94a3', dash: [5, 4] }] });
}

function correlationCard(run) {
  const names = Object.keys(run.parameters);
  const cell = (v) => {
    const td = element('td.number', v === null ? '–' : v.toFixed(3));
    if (v !== null) td.style.background = v > 0 ? `rgba(59, 125, 216, ${0.6 * v})` : `rgba(224, 123, 44, ${-0.6 * v})`;
    return td;
  };
  return element('div.card', element('h3', 'Correlation'), element('div.scroll.open', element('table',
    element('thead', element('tr', element('th', ''), names.map((n) => element('th.number', n)))),
    element('tbody', run.correlation.map((row, i) => element('tr', element('th', { scope: 'row' }, names[i]), [...numbers(row)].map((v) => cell(Number.isNaN(v) ? null : v))))))));
}

export function fitPage(page, run) {
  const { fit } = run;
  const title = `Fit of ${run.title ?? run.problem}`;
  document.title = `${title} – daedalus`;
  const good = fit.status === 'converged' || fit.status === 'at_bound';
  page.append(element('header', element('div', element('h1', title),
    element('p.soft', `${fit.points} values, ${fit.degrees_of_freedom} degrees of freedom · cost ${brief(fit.cost, 8)} · loss ${run.loss}`)),
  element(good ? 'span.pill' : 'span.pill.bad', { id: 'status' }, words(fit.status))));
  if (fit.message) page.append(element(good ? 'div.banner' : 'div.banner.bad', fit.message));
  for (const warning of run.warnings ?? []) page.append(element('div.banner', element('b', 'Warning.'), warning));
  page.append(element('h2', 'Estimates'), tableCard('Parameters', ['parameter', 'estimate', 'standard error', 'from', 'to', 'start'],
    Object.entries(fit.estimates).map(([name, e]) => [name, brief(e.value, 8), e.sd === null ? 'not determined' : brief(e.sd, 4),
      brief(e.interval[0], 6), brief(e.interval[1], 6), brief(e.start)])));
  const times = fit.experiments.flatMap((e) => e.outputs.flatMap((o) => [...numbers(o.t), ...numbers(o.curve_t)]));
  if (times.length) setSpan(Math.min(...times), Math.max(...times));
  for (const experiment of fit.experiments) {
    const grid = element('div.grid');
    page.append(element('h2', `Experiment ${experiment.name}`), element('p.soft', `root mean square of the residuals: ${brief(experiment.rms, 3)} sigma`), grid);
    dataPanels(grid, run, experiment);
    residualPanel(grid, experiment);
  }
  const grid = element('div.grid');
  page.append(element('h2', 'The fit'), grid);
  grid.append(correlationCard(run));
  quantilePanel(grid, fit);
  const costs = numbers(fit.starts[0]?.costs);
  if (costs.length > 1)
    panel(grid, 'Cost', 'after every iteration of the best start', { t: Float64Array.from(costs, (_, k) => k), over: 'iteration', logarithmic: true,
      series: [{ label: 'cost', values: costs, colour: colours[2] }] });
  if (fit.starts.length > 1)
    grid.append(tableCard('Starts', ['cost', 'status', 'iterations', 'reached the best'], fit.starts.map((s) => [brief(s.cost, 8), words(s.status), s.iterations, s.best ? 'yes' : 'no'])));
  page.append(element('footer', `Made by daedalus: ${run.command ?? 'a fit'}; this page needs no network.`));
}
