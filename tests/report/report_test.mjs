// node report_test.mjs <daedalus> <folder> <node modules>: reports in a real browser. Screenshots stay in the folder. Ends with
// code 77, for 'skipped', where there is no browser or the tool has no page.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, pause } from './browser.mjs';

const [tool, folder, modules] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const file = (name) => join(folder, name);

function skip(why) {
  const text = `reports were not tested in a browser: ${why}`;
  console.log(text);
  writeFileSync(file('skipped.txt'), text + '\n');
  process.exit(77);
}
const found = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
if (!found) skip('there is no chromium here (Debian package chromium)');

// Exit code 1, a run that failed, is a result too.
const daedalus = (...words) => {
  const done = spawnSync(tool, words, { encoding: 'utf8' });
  return { code: done.status, err: done.stderr };
};
{
  const { code, err } = daedalus('solve', 'pendulum', '--quiet', '--t-end', '2', '--points', '401', '--out', file('pendulum.json'),
    '--watch-drift', '--report', file('pendulum.html'));
  if (code === 3 && err.includes('built without its report page')) skip(err.trim());
  assert.equal(code, 0, err);
}

// How many pixels of a canvas are not empty, how many colours they have, and a sum that tells pictures apart.
const pixels = (canvas) => `(() => {
  const from = ${canvas};
  const copy = document.createElement('canvas');
  copy.width = from.width; copy.height = from.height;
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(from, 0, 0);
  const data = context.getImageData(0, 0, copy.width, copy.height).data;
  const colours = new Set();
  let drawn = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 0) continue;
    ++drawn;
    colours.add((data[i] >> 4) << 8 | (data[i + 1] >> 4) << 4 | data[i + 2] >> 4);
    sum = (sum * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2] + i) % 4294967291;
  }
  return { drawn, colours: colours.size, sum, all: copy.width * copy.height };
})()`;
const plotPixels = (i) => pixels(`daedalus.plots()[${i}].ctx.canvas`);
const stagePixels = pixels('daedalus.stage.canvas');

const results = [];
async function check(name, body) {
  const begin = Date.now();
  try {
    await body();
    results.push(true);
    console.log(`ok   ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    results.push(false);
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
  }
}

async function looksRight(page, { moving, plots }) {
  assert.deepEqual(page.errors, []);
  assert.equal(page.requests.length, 1, `the page asked for ${page.requests}`);
  const count = await page.run('daedalus.plots().length');
  assert.ok(count >= plots, `${count} plots`);
  for (let i = 0; i < count; ++i) {
    const p = await page.run(plotPixels(i));
    assert.ok(p.drawn > 500 && p.colours >= 3, `plot ${i} is blank: ${JSON.stringify(p)}`);
  }
  // Nothing sticks out of the page.
  assert.ok(await page.run('document.documentElement.scrollWidth <= innerWidth'), 'wider than the window');
  assert.equal(await page.run('daedalus.stage !== null'), moving);
  if (!moving) return;
  const p = await page.run(stagePixels);
  assert.ok(p.drawn > 0.005 * p.all && p.colours >= 8, `the stage is blank: ${JSON.stringify(p)}`);
}

const browser = new Browser(found);
try {
  await check('pendulum: opens, draws, plays, scrubs, turns, zooms, hides', async () => {
    const page = await browser.open(file('pendulum.html'));
    await looksRight(page, { moving: true, plots: 8 });
    await page.screenshot(file('pendulum.png'));

    const before = await page.run(stagePixels);
    await page.click('button.main');
    assert.equal(await page.run('daedalus.stage.playing'), true);
    let time = 0;
    for (let i = 0; i < 300 && time < 0.05; ++i) {
      await pause(100);
      time = await page.run('daedalus.stage.time');
    }
    assert.ok(time >= 0.05, `played to t = ${time}`);
    await page.click('button.main');
    assert.equal(await page.run('daedalus.stage.playing'), false);
    await page.frame();
    assert.notEqual((await page.run(stagePixels)).sum, before.sum, 'playing changed no pixel');

    // Scrubbing to the middle shows the state of the file at t = 1: the bob where x and y are.
    await page.run(`(() => { const s = document.querySelector('.controls input'); s.value = 0.5;
                    s.dispatchEvent(new Event('input', { bubbles: true })); })()`);
    await page.frame();
    assert.equal(await page.run('daedalus.stage.time'), 1);
    const run = JSON.parse(readFileSync(file('pendulum.json'), 'utf8'));
    const place = await page.run(`daedalus.stage.bodies.find((b) => b.data.name === 'bob').node.position.toArray()`);
    assert.ok(Math.abs(Math.hypot(place[0], place[1]) - 1) < 1e-4, `the bob is at ${place}`);
    assert.equal(run.trajectory.t[200], 1);
    // Between two of 2000 frames, 0.001 s apart, x'' = 20 leaves 3e-6.
    assert.ok(Math.abs(place[0] - run.trajectory.y.x[200]) < 1e-5, `${place}`);
    assert.ok(Math.abs(place[1] - run.trajectory.y.y[200]) < 1e-5, `${place}`);
    assert.ok(await page.run(`[...document.querySelectorAll('.now')].every((n) => n.style.display === 'block')`),
      'the time of the animation is not marked in the plots');

    const still = await page.run(stagePixels);
    const stage = await page.middle('.stage canvas');
    await page.drag(stage, { x: stage.x + 120, y: stage.y + 30 });
    assert.notEqual((await page.run(stagePixels)).sum, still.sum, 'turning changed no pixel');

    const plot = await page.run(plotPixels(0));
    await page.click('.u-legend .u-series:nth-child(2) th');
    await page.frame();
    assert.equal(await page.run('daedalus.plots()[0].series[1].show'), false);
    assert.notEqual((await page.run(plotPixels(0))).sum, plot.sum, 'hiding a curve changed no pixel');
    await page.click('.u-legend .u-series:nth-child(2) th');

    const over = await page.middle('.u-over');
    await page.drag({ x: over.left + 0.25 * over.width, y: over.y }, { x: over.left + 0.5 * over.width, y: over.y });
    const scales = await page.run('daedalus.plots().map((u) => [u.scales.x.min, u.scales.x.max])');
    for (const [low, high] of scales)
      assert.ok(Math.abs(low - 0.5) < 0.05 && Math.abs(high - 1) < 0.05, `zoomed to ${low}, ${high}`);
    await page.mouse('mouseMoved', over.x, over.y, { button: 'none' });
    await page.frame();
    const hovered = await page.run(`document.querySelector('.u-legend .u-series .u-value').textContent`);
    assert.ok(Math.abs(Number(hovered) - 0.75) < 0.05, `the legend says t = ${hovered}`);
    for (const clickCount of [1, 2]) {
      await page.mouse('mousePressed', over.x, over.y, { clickCount });
      await page.mouse('mouseReleased', over.x, over.y, { clickCount });
    }
    await page.frame();
    assert.deepEqual(await page.run('[daedalus.plots()[1].scales.x.min, daedalus.plots()[1].scales.x.max]'), [0, 2]);

    // Another variable is chosen.
    await page.click('.plot-head details summary');
    await page.frame();
    await page.click('.chooser label:nth-of-type(5) input');
    await page.frame();
    assert.ok(await page.run(`daedalus.plots().some((u) => u.series.map((s) => s.label).join() === 't,x,y,lambda')`),
      'lambda was not added to x and y');
    assert.deepEqual(page.errors, []);
    await page.close();
  });

  await check('keys, wheel, labels, exports, tables', async () => {
    const page = await browser.open(file('pendulum.html'), { width: 1400, height: 900 });
    const key = async (name) => {
      const code = name === ' ' ? 'Space' : name;
      for (const type of ['keyDown', 'keyUp'])
        await page.send('Input.dispatchKeyEvent', { type, key: name, code, ...(name === ' ' && type === 'keyDown' ? { text: ' ' } : {}) });
    };
    await key('ArrowRight');
    assert.ok(Math.abs((await page.run('daedalus.stage.time')) - 0.02) < 1e-12, 'an arrow is a hundredth');
    await key('ArrowLeft');
    assert.equal(await page.run('daedalus.stage.time'), 0);
    await key(' ');
    assert.equal(await page.run('daedalus.stage.playing'), true, 'space plays');
    await key(' ');
    assert.equal(await page.run('daedalus.stage.playing'), false);

    // The wheel scrolls the page until the picture was clicked.
    const stage = await page.middle('.stage canvas');
    const far = () => page.run('daedalus.stage.camera.position.length()');
    const before = await far();
    const turn = () => page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: stage.x, y: stage.y, deltaX: 0, deltaY: 200 });
    await turn();
    await pause(300);
    assert.equal(await far(), before, 'the wheel zoomed without a click');
    assert.ok((await page.run('scrollY')) > 0, 'the page did not scroll');
    await page.run('scrollTo(0, 0)');
    await page.mouse('mousePressed', stage.x, stage.y);
    await page.mouse('mouseReleased', stage.x, stage.y);
    await turn();
    await pause(300);
    assert.notEqual(await far(), before, 'the wheel did not zoom after a click');

    // Names hide their curves by keyboard, and everything that can be used has a name.
    await page.run(`document.querySelector('.u-legend .u-series:nth-child(2) th').focus()`);
    await key('Enter');
    assert.equal(await page.run('daedalus.plots()[0].series[1].show'), false);
    assert.equal(await page.run(`document.querySelector('.u-legend .u-series:nth-child(2) th').getAttribute('aria-pressed')`), 'false');
    await key('Enter');
    const nameless = await page.run(`[...document.querySelectorAll('button, select, input, canvas, summary, [role=region]')]
      .filter((e) => !(e.ariaLabel || e.getAttribute('aria-label') || e.title || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80))`);
    assert.deepEqual(nameless, []);

    // Hovering moves nothing.
    await page.run('scrollTo(0, 0)');
    const tall = () => page.run('document.documentElement.scrollHeight');
    const over = await page.middle('.u-over');
    const height = await tall();
    for (const part of [0.2, 0.5, 0.8]) {
      await page.mouse('mouseMoved', over.left + part * over.width, over.y, { button: 'none' });
      await page.frame();
      assert.equal(await tall(), height, 'hovering moved the page');
    }
    // Panels have names that differ, and no card is empty.
    const heads = await page.run(`[...document.querySelectorAll('.card h3')].map((h) => h.textContent)`);
    assert.equal(new Set(heads).size, heads.length, heads.join(' | '));
    assert.equal(await page.run(`document.querySelectorAll('.card .empty').length`), 0);
    assert.equal(await page.run(`[...document.querySelectorAll('.exports')].length`), await page.run('daedalus.plots().length'));
    // Long tables say how many rows they have, and open.
    const closed = await page.run(`(() => { const s = document.querySelector('.scroll.more'); return [s.clientHeight, s.scrollHeight]; })()`);
    assert.ok(closed[1] > closed[0], 'the long table is not cut');
    await page.click('button.more');
    const open = await page.run(`(() => { const s = document.querySelector('.scroll.more'); return [s.clientHeight, s.scrollHeight]; })()`);
    assert.ok(open[1] <= open[0] + 1, 'the table did not open');
    assert.deepEqual(page.errors, []);
    await page.close();
  });

  await check('several runs in one page; widths from 390 to 1400, light and dark', async () => {
    for (const [name, rtol] of [['loose', '1e-4'], ['tight', '1e-7']])
      assert.equal(daedalus('solve', 'pendulum', '--quiet', '--t-end', '2', '--points', '401', '--rtol', rtol, '--out', file(`${name}.json`)).code, 0);
    const { code, err } = daedalus('report', file('loose.json'), file('tight.json'), '-o', file('comparison.html'));
    assert.equal(code, 0, err);
    // Every width and both themes, each of them with one of the pages.
    for (const [name, moving, plots, width, theme] of [['comparison', false, 2, 390, 'light'], ['comparison', false, 2, 1400, 'dark'],
      ['pendulum', true, 8, 390, 'dark'], ['pendulum', true, 8, 768, 'light'], ['pendulum', true, 8, 1400, 'dark']]) {
      const page = await browser.open(file(`${name}.html`), { width, height: 900 });
      await page.run(`document.documentElement.dataset.theme = '${theme}'`);
      await looksRight(page, { moving, plots });
      await page.close();
    }
    const page = await browser.open(file('comparison.html'));
    const [over, apart] = await page.run('daedalus.plots().slice(0, 2).map((u) => u.series.length)');
    assert.deepEqual([over, apart], [3, 2]);
    const largest = await page.run('Math.max(...daedalus.plots()[1].data[1].map(Math.abs))');
    assert.ok(largest > 1e-7 && largest < 1e-2, `the runs differ by ${largest}`);
    await page.close();
  });

  // axe-core judges by the guidelines of the W3C; what it calls minor or moderate is not asked for.
  const axe = readFileSync(join(modules, 'axe-core', 'axe.min.js'), 'utf8');
  const findings = (page) => page.run(`axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations
    .filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 90)).join(' | ')))`);
  await check('no serious finding of accessibility, at every width, light and dark', async () => {
    for (const name of ['pendulum', 'comparison']) {
      const page = await browser.open(file(`${name}.html`));
      await page.run(`${axe};0`);
      for (const width of [1400, 768, 390])
        for (const theme of ['light', 'dark']) {
          await page.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
          await page.run(`document.documentElement.dataset.theme = '${theme}'`);
          await page.frame();
          assert.deepEqual(await findings(page), [], `${name}, ${width} px, ${theme}`);
        }
      // Control: a button without a name and pale text are found.
      await page.run(`document.body.insertAdjacentHTML('beforeend', '<button></button><p style="color:#ddd;background:#fff">pale</p>')`);
      assert.deepEqual((await findings(page)).map((f) => f.split(':')[0]).sort(), ['button-name', 'color-contrast']);
      await page.close();
    }
  });

  await check('rotation matrices are angles', async () => {
    const { code, err } = daedalus('solve', 'heavy-top-r3xso3', '--quiet', '--t-end', '0.05', '--report', file('turns.html'));
    assert.equal(code, 0, err);
    const page = await browser.open(file('turns.html'));
    assert.ok(await page.run(`[...document.querySelectorAll('h3')].some((h) => h.textContent === 'rotation R')`));
    assert.ok(!(await page.run(`daedalus.plots().some((u) => u.series.some((s) => s.label === 'R11'))`)));
    await page.close();
  });

  await check('a number changed in the file is the number on the page', async () => {
    const run = JSON.parse(readFileSync(file('pendulum.json'), 'utf8'));
    run.statistics.factorisations = 424242;
    run.y.x = 0.123456789;
    run.trajectory.y.y[7] = -77.5;
    run.steps.h[3] = 0.4321;
    // Columns that nearly stand still, or are tiny, leave an axis without distinct numbers.
    run.trajectory.y.u = run.trajectory.y.u.map((_, i) => 1 + (i % 2) * 2.3e-16);
    run.trajectory.y.lambda = run.trajectory.y.lambda.map((_, i) => i * 1e-310);
    run.residuals.position = run.residuals.position.map((_, i) => 10 ** (-25 + (i % 20)));
    run.residuals.velocity[2] = 0.8765;
    run.model.title = 'A </script><b>title</b>';
    writeFileSync(file('changed.json'), JSON.stringify(run));
    execFileSync(tool, ['report', file('changed.json'), '-o', file('changed.html')]);
    const page = await browser.open(file('changed.html'));
    assert.deepEqual(page.errors, []);
    const text = await page.run('document.body.innerText');
    assert.ok(text.includes('424242'), 'statistics');
    assert.ok(text.includes('0.123456789'), 'end state');
    assert.ok(text.includes('A </script><b>title</b>'), 'title');
    const has = (value) => page.run(`daedalus.plots().some((u) => u.data.some((c) => c.some((v) => v === ${value})))`);
    assert.ok(await has(-77.5), 'trajectory');
    assert.ok(await has(0.4321), 'step size');
    assert.ok(await has(0.8765), 'residual');
    // The wrong variant: the page of the file as it was has none of them.
    const before = await browser.open(file('pendulum.html'));
    assert.ok(!(await before.run('document.body.innerText')).includes('424242'));
    assert.ok(!(await before.run('daedalus.plots().some((u) => u.data.some((c) => c.some((v) => v === -77.5)))')));
    await before.close();
    await page.close();
  });

  for (const [problem, options, expected] of [
    ['andrews', ['--rtol', '1e-7'], { moving: true, plots: 8 }],
    ['heavy-top-so3', ['--rtol', '1e-7'], { moving: true, plots: 6 }],
    ['slider-crank', ['--t-end', '0.05'], { moving: true, plots: 8 }],
    ['pascal', ['--t-end', '0.02', '--set', 'law=1'], { moving: true, plots: 6 }], // bodies of many points
    ['transistor-amplifier', ['--rtol', '1e-6'], { moving: false, plots: 4 }],
  ])
    await check(`${problem}: opens and draws`, async () => {
      const { code, err } = daedalus('solve', problem, '--quiet', ...options, '--report', file(`${problem}.html`));
      assert.equal(code, 0, err);
      const page = await browser.open(file(`${problem}.html`));
      await looksRight(page, expected);
      if (problem === 'andrews')
        assert.ok(await page.run(`[...document.querySelectorAll('th')].some((h) => h.textContent === 'reference')`), 'no reference beside the end state');
      if (expected.moving) {
        await page.run('daedalus.stage.show(0.4 * daedalus.run.t)');
        await page.frame();
      }
      await page.screenshot(file(`${problem}.png`), false);
      await page.close();
    });

  await check('a failed run shows its message', async () => {
    const { code } = daedalus('solve', 'andrews', '--quiet', '--max-steps', '30', '--report', file('failed.html'));
    assert.equal(code, 1);
    const page = await browser.open(file('failed.html'));
    assert.deepEqual(page.errors, []);
    assert.match(await page.run(`document.querySelector('#status').textContent`), /too many steps/);
    assert.ok((await page.run(`document.querySelector('#failure').innerText`)).length > 40, 'message');
    await page.screenshot(file('failed.png'));
    await page.close();
  });

  await check('100000 points', async () => {
    const { code, err } = daedalus('solve', 'pendulum', '--quiet', '--points', '100000', '--report', file('large.html'));
    assert.equal(code, 0, err);
    const page = await browser.open(file('large.html'));
    await looksRight(page, { moving: true, plots: 8 });
    assert.equal(await page.run('daedalus.plots()[0].data[0].length'), 100000);
    console.log(`     first picture after ${page.loaded} ms, ${page.work} s of work of the page`);
    // Below 2 s is the promise. Tests run beside others, so it is the work that counts.
    assert.ok(page.work < 2, `${page.work} s`);
    await page.close();
  });

  await check('a netlist: its graph with the loop marked, Bode plots', async () => {
    writeFileSync(file('loop.cir'), 'loop\nV1 a 0 SIN(1 0.5 1k) AC 1\nC1 a b 1u\nC2 b 0 3u\nR1 b 0 10k\n.ac dec 10 1 10k\n.tran 10u 3m\n.end\n');
    const { code, err } = daedalus('solve', file('loop.cir'), '--quiet', '--report', file('loop.html'));
    assert.equal(code, 0, err);
    const page = await browser.open(file('loop.html'));
    await looksRight(page, { moving: false, plots: 4 });
    const of = (what) => page.run(`[...document.querySelectorAll('${what}')].map((e) => e.dataset.element).sort().join(' ')`);
    assert.equal(await of('.circuit .edge.marked'), 'c1 c2 v1');
    assert.equal(await of('.circuit .edge'), 'c1 c2 r1 v1');
    assert.match(await page.run("document.getElementById('circuit-index').textContent"), /index 2: loop/);
    // A divider of capacitances: -12 dB at the end of the sweep.
    const last = await page.run("(() => { const u = daedalus.plots().find((p) => p.series[0].label === 'f (Hz)'); const k = u.series.findIndex((s) => s.label === 'v(b)'); return u.data[k][u.data[k].length - 1]; })()");
    assert.ok(Math.abs(last + 12.04) < 0.05, `${last} dB`);
    await page.screenshot(file('loop.png'), true);
    await page.close();
  });

  // The tests of the test: a broken page and a page that asks for the network are noticed.
  await check('control: errors, requests and blank canvases are noticed', async () => {
    const html = readFileSync(file('pendulum.html'), 'utf8');
    writeFileSync(file('broken.html'), html.replace('"trajectory":', '"no_trajectory":'));
    const broken = await browser.open(file('broken.html'));
    assert.notDeepEqual(broken.errors, []);
    await broken.close();
    writeFileSync(file('asking.html'), html.replace('</body>', '<img src="nowhere.png"></body>'));
    const asking = await browser.open(file('asking.html'));
    await assert.rejects(looksRight(asking, { moving: true, plots: 1 }));
    await asking.run('daedalus.plots()[0].ctx.clearRect(0, 0, 9999, 9999)');
    asking.errors.length = 0;
    asking.requests.length = 1;
    await assert.rejects(looksRight(asking, { moving: true, plots: 1 }), /plot 0 is blank/);
    await asking.close();
    for (const name of ['broken.html', 'asking.html', 'changed.html', 'changed.json', 'large.html'])
      if (existsSync(file(name))) rmSync(file(name));
  });
} finally {
  await browser.close();
}
process.exit(results.every(Boolean) ? 0 : 1);
