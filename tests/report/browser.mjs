// Headless Chromium, driven through its debugging pipe: messages are JSON, ended by a zero byte.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), 'daedalus-browser-'));
    this.process = spawn(program, [
      '--headless=new', '--no-sandbox', '--remote-debugging-pipe', `--user-data-dir=${this.profile}`, '--no-first-run',
      '--disable-extensions', '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
      '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--hide-scrollbars',
      '--force-color-profile=srgb', '--window-size=1280,900', 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
    this.words = '';
    this.process.stderr.on('data', (text) => { this.words += text; });
    this.waiting = new Map();
    this.listeners = new Map();
    this.last = 0;
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.receive(JSON.parse(rest.subarray(0, end).toString('utf8')));
        rest = rest.subarray(end + 1);
      }
    });
    this.process.on('exit', (code) => {
      for (const { reject } of this.waiting.values())
        reject(new Error(`the browser ended with code ${code}: ${this.words.slice(-600)}`));
      this.waiting.clear();
    });
  }

  receive(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id) ?? {};
      this.waiting.delete(message.id);
      if (message.error) reject?.(new Error(message.error.message));
      else resolve?.(message.result);
    } else {
      this.listeners.get(message.sessionId)?.(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(file, size = { width: 1280, height: 900 }) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.start(pathToFileURL(file).href, size);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.send('Browser.close').catch(() => {});
    await Promise.race([ended, pause(2000)]);
    this.process.kill('SIGKILL');
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, errors: [], requests: [] });
    browser.listeners.set(session, ({ method, params }) => {
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
        this.errors.push(params.args.map((a) => a.value ?? a.description).join(' '));
      if (method === 'Runtime.exceptionThrown')
        this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
      if (method === 'Network.requestWillBeSent' && !/^(data|blob):/.test(params.request.url))
        this.requests.push(params.request.url);
    });
  }
  send(method, params) { return this.browser.send(method, params, this.session); }

  async start(url, size) {
    for (const domain of ['Runtime', 'Log', 'Page', 'Network']) await this.send(`${domain}.enable`);
    // Seconds of work, which other programs on the machine do not change.
    await this.send('Performance.enable', { timeDomain: 'threadTicks' });
    await this.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
    await this.send('Page.navigate', { url });
    let until = Date.now() + 120000, broken = false;
    while (Date.now() < until) {
      const ready = await this.run('document.documentElement.dataset.ready ?? null').catch(() => null);
      if (ready !== null) {
        this.loaded = Number(ready); // milliseconds from navigation to the first picture, by the page's own clock
        const { metrics } = await this.send('Performance.getMetrics');
        this.work = metrics.find((m) => m.name === 'TaskDuration').value;
        return;
      }
      // A page with an error may draw all the same, a moment later.
      if (this.errors.length && !broken) [broken, until] = [true, Date.now() + 3000];
      await pause(30);
    }
    if (!broken) this.errors.push('the page was not ready after 120 s');
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async screenshot(file, whole = false) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1, ...more });
  }
  async click(selector) {
    const { x, y } = await this.middle(selector);
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
  }
  // The middle of an element, scrolled into view.
  middle(selector) {
    return this.run(`(() => {
      const node = document.querySelector(${JSON.stringify(selector)});
      if (!node) throw new Error('no element ' + ${JSON.stringify(selector)});
      node.scrollIntoView({ block: 'center', behavior: 'instant' });
      const r = node.getBoundingClientRect();
      return { x: r.x + r.width / 2, y: r.y + r.height / 2, width: r.width, height: r.height, left: r.x, top: r.y };
    })()`);
  }
  async drag(from, to) {
    await this.mouse('mouseMoved', from.x, from.y, { button: 'none' });
    await this.mouse('mousePressed', from.x, from.y);
    for (let i = 1; i <= 4; ++i)
      await this.mouse('mouseMoved', from.x + ((to.x - from.x) * i) / 4, from.y + ((to.y - from.y) * i) / 4, { buttons: 1 });
    await this.mouse('mouseReleased', to.x, to.y);
    await this.frame();
  }
  frame() { return this.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))'); }
  async close() {
    await this.browser.send('Target.closeTarget', { targetId: this.target });
    this.browser.listeners.delete(this.session);
  }
}
