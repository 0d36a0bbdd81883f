// SPDX-License-Identifier: BSD-3-Clause
// node site_test.mjs <site>: every page of the site in a real browser, 390 pixels wide: no error, no request to the
// network, nothing wider than the window; and the search finds. Ends with 77, for 'skipped', without a browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser, pause } from '../report/browser.mjs';

const [site] = process.argv.slice(2);
const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
if (!program) process.exit(77);
const browser = new Browser(program);
const wrong = [];
const pages = readdirSync(site).filter((name) => name.endsWith('.html') && name !== '404.html');
try {
  for (const name of pages) {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method, params) => browser.send(method, params, sessionId);
    const say = (text) => wrong.push(`${name}: ${text}`);
    let loaded = false;
    browser.listeners.set(sessionId, ({ method, params }) => {
      if (method === 'Runtime.exceptionThrown') say(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') say(params.entry.text);
      if (method === 'Network.requestWillBeSent' && /^http/.test(params.request.url)) say(`asks for ${params.request.url}`);
      if (method === 'Page.loadEventFired') loaded = true;
    });
    const evaluate = async (expression) => (await send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
    for (const domain of ['Runtime', 'Log', 'Page', 'Network']) await send(`${domain}.enable`);
    await send('Emulation.setDeviceMetricsOverride', { width: 390, height: 900, deviceScaleFactor: 1, mobile: false });
    await send('Page.navigate', { url: pathToFileURL(join(site, name)).href });
    for (let i = 0; i < 300 && !loaded; ++i) await pause(20);
    await pause(50);
    const width = await evaluate('document.documentElement.scrollWidth');
    if (width > 390) say(`${width} pixels wide`);
    if (name === 'search.html') {
      await evaluate(`(() => { const w = document.getElementById('words'); w.value = 'drift projection'; w.dispatchEvent(new Event('input')); })()`);
      if (!((await evaluate(`document.querySelectorAll('#found a').length`)) > 2)) say('the search finds nothing');
    }
    await browser.send('Target.closeTarget', { targetId });
  }
} finally {
  await browser.close();
}
console.log(wrong.join('\n'));
console.log(`${pages.length} pages, ${wrong.length} faults`);
assert.ok(pages.length > 20);
process.exit(wrong.length ? 1 : 0);
