// SPDX-License-Identifier: BSD-3-Clause
// node build.mjs <page.html> <page.cpp>: bundles src/ with the libraries of NODE_PATH into one page
// and writes it as HTML and as a C++ source that holds it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [html, cpp] = process.argv.slice(2);
const folder = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH;
const { buildSync } = createRequire(join(modules, 'package.json'))('esbuild');

const bundle = (entry) => {
  const result = buildSync({
    entryPoints: [join(folder, 'src', entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'inline',
    target: ['chrome100', 'firefox100', 'safari15'],
    format: 'iife',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
};

// "</script" inside a script, or "</style" inside a style, would end it.
const script = bundle('main.js').replaceAll('</script', '<\\/script');
const style = bundle('style.css');
const fill = (text, mark, value) => {
  if (text.split(mark).length !== 2) throw new Error(`page.html needs ${mark} once`);
  return text.split(mark).join(value);
};
let page = readFileSync(join(folder, 'src', 'page.html'), 'utf8');
page = fill(page, '<!--style-->', `<style>${style}</style>`);
page = fill(page, '<!--script-->', `<script>${script}</script>`);
if (page.split('<!--run-->').length !== 2) throw new Error('the page needs <!--run--> once');
writeFileSync(html, page);

const bytes = Buffer.from(page, 'utf8');
const literal = (piece) => {
  let text = '';
  for (const byte of piece) {
    if (byte === 10) text += '\\n';
    else if (byte === 34 || byte === 92) text += '\\' + String.fromCharCode(byte);
    else if (byte === 63) text += '\\?'; // no trigraphs
    else if (byte < 32 || byte > 126) text += '\\' + byte.toString(8).padStart(3, '0');
    else text += String.fromCharCode(byte);
  }
  return `    "${text}"`;
};
const pieces = [];
for (let i = 0; i < bytes.length; i += 16000) pieces.push(literal(bytes.subarray(i, i + 16000)));
writeFileSync(
  cpp,
  `// Written by report/build.mjs.
#include "tool/report_page.hpp"

namespace daedalus::cli {

const char* const report_page_pieces[] = {
${pieces.join(',\n')}};
const std::size_t report_page_piece_count = ${pieces.length};
const char* const report_page_missing = "";

}  // namespace daedalus::cli
`,
);
