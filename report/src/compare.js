// SPDX-License-Identifier: BSD-3-Clause
// Several runs in one page: what they cost, their curves over each other, differences, work and precision.
import { brief, numbers } from './data.js';
import { colours, element, style } from './dom.js';
import { plot, removePlot, setSpan } from './plots.js';
import { exportButtons, tableCard } from './tables.js';

const seconds = (s) => (s === undefined || s === null ? '–' : s < 1 ? `${brief(1000 * s, 3)} ms` : `${brief(s, 3)} s`);

// Names that differ: what the runs do not share.
function namesOf(runs) {
  const facts = [(r) => r.problem, (r) => r.method, (r) => r.formulation, (r) => (r.rtol === undefined ? '' : `rtol ${brief(r.rtol)}`)];
  const telling = facts.filter((f) => new Set(runs.map((r) => f(r) ?? '')).size > 1);
  const names = runs.map((r, i) => telling.map((f) => f(r)).filter(Boolean).join(', ') || r.$file || `run ${i + 1}`);
  return names.map((name, i) => (names.indexOf(name) !== names.lastIndexOf(name) ? `${name} (${runs[i].$file ?? i + 1})` : name));
}

// Through four neighbouring points: straight lines would show their own error as a difference.
function between(t, y, k, at) {
  const first = Math.max(0, Math.min(k - 1, t.length - 4));
  const last = Math.min(t.length, first + 4);
  let sum = 0;
  for (let i = first; i < last; ++i) {
    let weight = 1;
    for (let j = first; j < last; ++j) if (j !== i) weight *= (at - t[j]) / (t[i] - t[j]);
    sum += weight * y[i];
  }
  return Number.isFinite(sum) ? sum : y[k]; // two points at one time: a jump
}

// Values of a run at the times of another one; null outside of it.
export function valuesAt(t, y, times) {
  const forward = t.length < 2 || t[t.length - 1] >= t[0];
  let k = 0;
  return Array.from(times, (at) => {
    while (k + 2 < t.length && (forward ? t[k + 1] < at : t[k + 1] > at)) ++k;
    while (k > 0 && (forward ? t[k] > at : t[k] < at)) --k;
    const [a, b] = [t[k], t[Math.min(k + 1, t.length - 1)]];
    if ((at - a) * (at - b) > 0) return null;
    return at === a ? y[k] : at === b ? y[k + 1] : between(t, y, k, at);
  });
}

// All curves of one variable at the times of the run that has most of them.
function joined(runs, name) {
  const having = runs.filter((r) => r.trajectory.y[name]).map((r) => numbers(r.trajectory.t));
  const times = having.reduce((a, b) => (b.length > a.length ? b : a), new Float64Array(0));
  return { times, curves: runs.map((r) => (r.trajectory.y[name] ? valuesAt(numbers(r.trajectory.t), numbers(r.trajectory.y[name]), times) : null)) };
}

export function comparison(page, runs) {
  const names = namesOf(runs);
  const title = `${runs.length} runs: ${[...new Set(runs.map((r) => r.model?.title ?? r.problem))].join('; ')}`;
  document.title = `${title} – daedalus`;
  page.append(element('header', element('div', element('h1', title), element('p.soft', names.join(' · ')))));
  page.append(element('h2.unseen', 'Overview'), tableCard('Runs', ['run', 'status', 'steps', 'rejected', 'time', 'digits'], runs.map((r, i) => [
    names[i], String(r.status).replaceAll('_', ' '), brief(r.statistics?.steps), brief(r.statistics?.rejected),
    seconds(r.statistics?.seconds), r.error ? brief(r.error.scd, 3) : '–'])));
  const ends = runs.flatMap((r) => { const t = numbers(r.trajectory.t); return t.length ? [t[0], t[t.length - 1]] : []; });
  if (ends.length) setSpan(Math.min(...ends), Math.max(...ends));

  const all = [...new Set(runs.flatMap((r) => Object.keys(r.trajectory.y)))];
  const shared = all.filter((name) => runs.filter((r) => r.trajectory.y[name]).length > 1);
  const choice = element('select', { ariaLabel: 'variable' }, (shared.length ? shared : all).map((name) => element('option', { value: name }, name)));
  const grid = element('div.grid');
  page.append(element('h2', 'Curves'), element('p', element('label', 'variable ', choice)), element('div.gap'), grid);
  const panel = (heading, note, wide) => {
    const place = element('div.plot');
    const slot = { place, current: null };
    grid.append(element(wide ? 'div.card.wide' : 'div.card', element('div.plot-head', element('h3', heading), element('span.soft', note),
      exportButtons(heading, () => slot.current, style)), place));
    return slot;
  };
  const over = panel('All runs', 'on the same axes');
  const apart = panel('Differences', `from ${names[0]}; between the points of the files by cubics`);
  const draw = (slot, options) => {
    if (slot.current) removePlot(slot.current);
    slot.place.replaceChildren();
    slot.current = plot(slot.place, options);
  };
  const update = () => {
    const { times, curves } = joined(runs, choice.value);
    const series = (values, i) => ({ label: names[i], values, colour: colours[i % colours.length], gaps: true });
    const present = curves.map((c, i) => [c, i]).filter(([c]) => c);
    draw(over, { t: times, title: choice.value, series: present.map(([c, i]) => series(c, i)) });
    const [first] = present[0];
    const others = present.slice(1).map(([c, i]) => series(c.map((v, k) => (v === null || first[k] === null ? null : v - first[k])), i));
    if (others.length) draw(apart, { t: times, title: `differences of ${choice.value}`, series: others });
    else apart.place.replaceChildren(element('p.soft', 'Only one run has this variable.'));
  };
  choice.addEventListener('change', update);
  if (all.length) update();

  const measured = runs.map((r, i) => ({ r, i })).filter(({ r }) => r.error?.relative > 0 && r.statistics?.seconds > 0);
  if (measured.length > 1) {
    measured.sort((a, b) => a.r.error.relative - b.r.error.relative);
    const errors = Float64Array.from(measured, ({ r }) => r.error.relative);
    const slot = panel('Work and precision', 'time over the error at the end', true);
    slot.current = plot(slot.place, { t: errors, over: 'relative error', logarithmicTime: true, logarithmic: true, unit: 's', title: 'work and precision',
      series: measured.map(({ r, i }, k) => ({ label: names[i], colour: colours[i % colours.length], points: true,
        values: errors.map((_, j) => (j === k ? r.statistics.seconds : NaN)) })) });
  }
  page.append(element('footer', 'Made by daedalus from the output of the runs; this page needs no network.'));
}
