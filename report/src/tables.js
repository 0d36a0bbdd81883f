// SPDX-License-Identifier: BSD-3-Clause
// Tables of a report: long ones show a part, say how many rows there are, and open on request.
import { brief, numbers } from './data.js';
import { element } from './dom.js';

const shownRows = 14; // what fits into a card without scrolling

export function table(head, rows) {
  const cells = (kind, row) => row.map((cell, i) => element(i ? `${kind}.number` : kind, String(cell)));
  return element('table', head ? element('thead', element('tr', cells('th', head))) : null,
    element('tbody', rows.map((row) => element('tr', row.map((cell, i) => element(i ? 'td.number' : 'th', { ...(i ? {} : { scope: 'row' }) }, String(cell)))))));
}

// A card with a table; more rows than fit can be scrolled to, by keyboard too, and opened.
export function tableCard(title, head, rows) {
  const card = element('div.card', element('h3', title));
  const place = element('div.scroll', { role: 'region', tabIndex: 0 }, table(head, rows));
  place.setAttribute('aria-label', `${title}, ${rows.length} rows`);
  card.append(place);
  if (rows.length <= shownRows) {
    place.classList.add('open');
    return card;
  }
  place.classList.add('more');
  const button = element('button.more');
  const name = () => { button.textContent = place.classList.contains('open') ? 'show fewer rows' : `show all ${rows.length} rows`; };
  button.addEventListener('click', () => {
    place.classList.toggle('open');
    button.setAttribute('aria-expanded', String(place.classList.contains('open')));
    name();
  });
  name();
  card.append(button);
  return card;
}

const words = (text) => String(text ?? '').replaceAll('_', ' ');
export const withUnit = (run, name) => (run.units?.[name] ? `${name} [${run.units[name]}]` : name);

// End values beside what is known about them, as the tool prints them.
function endRows(run) {
  const known = run.reference ?? {};
  return Object.entries(run.y ?? {}).map(([name, v]) => {
    const value = v === null ? '–' : String(v);
    if (!run.reference) return [withUnit(run, name), value];
    const r = known[name];
    return [withUnit(run, name), value, r === undefined || r === null ? '' : String(r),
      r === undefined || r === null || v === null ? '' : brief(v - r, 2)];
  });
}

export function numberCards(run, grid) {
  const statistics = run.statistics ?? {};
  const counts = Object.entries(statistics).filter(([, v]) => typeof v === 'number').map(([k, v]) => [words(k), brief(v, 8)]);
  const histogram = (statistics.order_histogram ?? []).map((n, order) => [order, n]).filter(([, n]) => n > 0);
  if (histogram.length) counts.push(['steps by order', histogram.map(([o, n]) => `${o}: ${n}`).join(', ')]);
  if (counts.length) grid.append(tableCard('Statistics', null, counts));
  const end = endRows(run);
  if (end.length)
    grid.append(tableCard(`State at t = ${brief(run.t, 10)}`, run.reference ? ['variable', 'value', 'reference', 'difference'] : null, end));
  if (run.events?.length)
    grid.append(tableCard('Events', ['event', 't'], run.events.map((e) => [e.name, String(e.t)])));
  const parameters = Object.entries(run.parameters ?? {}).map(([name, v]) => [withUnit(run, name), brief(v, 17)]);
  if (parameters.length) grid.append(tableCard('Parameters', null, parameters));
}

// ---- files of what a plot shows ----
const save = (name, blob) => {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const plain = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'plot';
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function csvOf(u) {
  const lines = [u.series.map((s) => quoted(String(s.label))).join(',')];
  for (let i = 0; i < u.data[0].length; ++i) lines.push(u.data.map((c) => (c[i] === null || c[i] === undefined ? '' : c[i])).join(','));
  return `${lines.join('\n')}\n`;
}

// The canvas with a title and the names of its curves, on the colour of the card.
export function pictureOf(u, title, style) {
  const from = u.ctx.canvas;
  const scale = from.width / u.width;
  const line = 20 * scale;
  const shown = u.series.slice(1).filter((s) => s.show !== false);
  const picture = document.createElement('canvas');
  picture.width = from.width;
  const context = picture.getContext('2d');
  const font = `${13 * scale}px system-ui, sans-serif`;
  context.font = font;
  const places = [];
  let [x, row] = [12 * scale, 1];
  for (const s of shown) {
    const wide = context.measureText(s.label).width + 34 * scale;
    if (x + wide > from.width) [x, row] = [12 * scale, row + 1];
    places.push([x, row]);
    x += wide;
  }
  picture.height = from.height + (row + 1.5) * line;
  context.fillStyle = style('--card');
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(from, 0, (row + 1.5) * line);
  context.fillStyle = style('--ink');
  context.font = `600 ${14 * scale}px system-ui, sans-serif`;
  context.fillText(title, 12 * scale, line);
  context.font = font;
  shown.forEach((s, i) => {
    const y = (places[i][1] + 1) * line;
    context.fillStyle = typeof s.stroke === 'function' ? s.stroke(u, i + 1) : s.stroke;
    context.fillRect(places[i][0], y - 9 * scale, 14 * scale, 4 * scale);
    context.fillStyle = style('--ink');
    context.fillText(s.label, places[i][0] + 20 * scale, y);
  });
  return picture;
}

// Two buttons; `current` gives the plot as it is now.
export function exportButtons(title, current, style) {
  const csv = element('button.small', { title: `${title} as a table, CSV` }, 'CSV');
  const png = element('button.small', { title: `${title} as a picture, PNG` }, 'PNG');
  csv.addEventListener('click', () => { const u = current(); if (u) save(`${plain(title)}.csv`, new Blob([csvOf(u)], { type: 'text/csv' })); });
  png.addEventListener('click', () => { const u = current(); if (u) pictureOf(u, title, style).toBlob((blob) => save(`${plain(title)}.png`, blob)); });
  return element('span.exports', csv, png);
}

// ---- rotation matrices ----
// Nine variables R11 ... R33 are one rotation: three angles say more than nine curves.
export function rotations(variables) {
  const groups = new Map();
  for (const v of variables) {
    const match = /^(.*?)_?([1-3])_?([1-3])$/.exec(v.name);
    if (!match || (v.class && v.class !== 'q')) continue;
    if (!groups.has(match[1])) groups.set(match[1], {});
    groups.get(match[1])[match[2] + match[3]] = v.name;
  }
  return [...groups].filter(([, names]) => Object.keys(names).length === 9).map(([name, names]) => ({ name, names }));
}

// Turns about the axes z, y, x in this order (R = Rz Ry Rx), in degrees, without jumps.
export function anglesOf(rotation, column) {
  const of = (ij) => numbers(column(rotation.names[ij]));
  const [r11, r21, r31, r32, r33] = ['11', '21', '31', '32', '33'].map(of);
  const degrees = 180 / Math.PI;
  const unwound = (values) => {
    let turns = 0;
    return values.map((v, i) => {
      if (i > 0) {
        const step = v - values[i - 1];
        if (step > 180) turns -= 360;
        else if (step < -180) turns += 360;
      }
      return v + turns;
    });
  };
  const each = (f) => Float64Array.from({ length: r11.length }, (_, i) => degrees * f(i));
  return [
    ['about z', unwound(each((i) => Math.atan2(r21[i], r11[i])))],
    ['about y', each((i) => Math.atan2(-r31[i], Math.hypot(r32[i], r33[i])))],
    ['about x', unwound(each((i) => Math.atan2(r32[i], r33[i])))],
  ].map(([label, values]) => ({ label: `${rotation.name || 'rotation'} ${label}`, values }));
}
