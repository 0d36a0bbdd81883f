// SPDX-License-Identifier: BSD-3-Clause
// The document of the run. Long arrays of numbers come as {"$f64": base64 of little-endian doubles} and
// are decoded when they are first used.
const decoded = new WeakMap();

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

export const readRun = () => JSON.parse(document.getElementById('run').textContent);

// An array of numbers, whichever way it is stored; NaN where the file has null.
export function numbers(column) {
  if (!column) return new Float64Array(0);
  let values = decoded.get(column);
  if (!values) {
    values = column.$f64 === undefined
      ? Float64Array.from(column, (v) => (v === null ? NaN : v))
      : new Float64Array(bytesOf(column.$f64).buffer);
    decoded.set(column, values);
  }
  return values;
}

const superscript = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
export const power = (k) => '10' + String(k).replace(/./g, (c) => superscript[c]);

// At most `digits` significant digits, with a power of ten where zeros would fill the line.
export function brief(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (typeof value !== 'number') return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(digits));
  if (Number.isInteger(value) && size < 1e9) return String(value).replace('-', '−');
  if (size >= 1e-4 && size < 1e7) return String(rounded).replace('-', '−');
  const [mantissa, exponent] = rounded.toExponential().split('e');
  const head = mantissa === '1' ? '' : mantissa === '-1' ? '−' : mantissa.replace('-', '−') + '·';
  return head + power(Number(exponent));
}

export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}
