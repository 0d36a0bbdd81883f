// SPDX-License-Identifier: BSD-3-Clause
// node scripts/pictures.mjs <daedalus> <folder>: report.png, the page of Andrews' mechanism in a browser, at most
// 300 kB.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../tests/report/browser.mjs';

const [tool, folder] = process.argv.slice(2);
const most = 300_000;
const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
if (!program) {
  console.error('pictures: there is no chromium (Debian package chromium)');
  process.exit(1);
}
const scratch = mkdtempSync(join(tmpdir(), 'daedalus-pictures-'));
const page = join(scratch, 'andrews.html');
execFileSync(tool, ['solve', 'andrews', '--rtol', '1e-7', '--quiet', '--report', page]);
const browser = new Browser(program);
try {
  const shown = await browser.open(page, { width: 1280, height: 800 });
  if (shown.errors.length) throw new Error(shown.errors.join('; '));
  await shown.run(`document.documentElement.dataset.theme = 'light'`);
  await shown.run('daedalus.stage.show(0.4 * daedalus.run.t)');
  await shown.frame();
  await shown.screenshot(join(folder, 'report.png'));
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
const { size } = statSync(join(folder, 'report.png'));
console.log(`${join(folder, 'report.png')}: ${Math.round(size / 1000)} kB`);
process.exit(size <= most ? 0 : 1);
