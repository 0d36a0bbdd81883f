// SPDX-License-Identifier: BSD-3-Clause
// The animation: bodies of the document, moved by their own numbers. Drawn only when something changed.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, Curve,
  DirectionalLight,
  DoubleSide, ExtrudeGeometry, Group, GridHelper, HemisphereLight, InstancedMesh, LatheGeometry, Line, LineBasicMaterial,
  Matrix4, Mesh, MeshStandardMaterial, PerspectiveCamera, Quaternion, Scene, Shape, SphereGeometry, TubeGeometry, Vector2,
  Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { keyboard } from './keys.js';
import { brief, numbers } from './data.js';
import { colours, element } from './dom.js';

const fixedColour = '#8a94a3';
const upright = new Vector3(0, 1, 0);

// Sectors in two tones, so that turning about the axis is seen.
function sectors(geometry, count = 8) {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute('position');
  const tones = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; i += 3) {
    let x = 0;
    let y = 0;
    for (let k = i; k < i + 3; ++k) {
      x += position.getX(k);
      y += position.getY(k);
    }
    const sector = Math.floor(((Math.atan2(y, x) + 2 * Math.PI) / (2 * Math.PI)) * count);
    tones.fill(sector % 2 ? 1 : 0.5, 3 * i, 3 * i + 9);
  }
  flat.setAttribute('color', new BufferAttribute(tones, 3));
  return flat;
}

class Coil extends Curve {
  constructor(radius, turns) {
    super();
    this.radius = radius;
    this.turns = turns;
  }
  getPoint(s, target = new Vector3()) {
    // Straight pieces at both ends.
    const inner = Math.min(1, Math.max(0, (s - 0.08) / 0.84));
    const r = s > 0.08 && s < 0.92 ? this.radius : 0;
    const angle = 2 * Math.PI * this.turns * inner;
    return target.set(r * Math.cos(angle), s - 0.5, r * Math.sin(angle));
  }
}

const makers = {
  sphere: (size, material) => new Mesh(new SphereGeometry(size[0], 32, 20), material),
  box: (size, material) => {
    const tone = (f) => {
      const m = material.clone();
      m.color.multiplyScalar(f);
      return m;
    };
    return new Mesh(new BoxGeometry(...size), [tone(1), tone(0.6), tone(0.9), tone(0.75), tone(1), tone(0.8)]);
  },
  cylinder: ([radius, length], material) =>
    new Mesh(sectors(new CylinderGeometry(radius, radius, length, 64).rotateX(Math.PI / 2)), striped(material)),
  revolved: (size, material) => {
    const profile = [];
    for (let i = 0; i < size.length; i += 2) profile.push(new Vector2(size[i], size[i + 1]));
    return new Mesh(sectors(new LatheGeometry(profile, 64).rotateX(Math.PI / 2)), striped(material));
  },
  plate: ([thickness, ...outline], material) => {
    const shape = new Shape();
    for (let i = 0; i < outline.length; i += 2) shape[i ? 'lineTo' : 'moveTo'](outline[i], outline[i + 1]);
    shape.closePath();
    const geometry = new ExtrudeGeometry(shape, { depth: thickness, bevelEnabled: false });
    return new Mesh(geometry.translate(0, 0, -thickness / 2), material);
  },
  rod: ([radius], material) => new Mesh(new CylinderGeometry(radius, radius, 1, 24), material),
  spring: ([radius], material) => new Mesh(new TubeGeometry(new Coil(radius, 9), 260, radius * 0.2, 8), material),
};
const striped = (material) => {
  material.vertexColors = true;
  material.side = DoubleSide;
  material.flatShading = false;
  return material;
};

// A tube of straight pieces with a ball in every point.
class Tube extends Group {
  constructor([radius, bead], points, material) {
    super();
    this.points = points;
    this.pieces = new InstancedMesh(new CylinderGeometry(radius, radius, 1, 16), material, points - 1);
    this.balls = new InstancedMesh(new SphereGeometry(bead > 0 ? bead : radius, 20, 14), material, points);
    for (const part of [this.pieces, this.balls]) part.frustumCulled = false;
    this.add(this.pieces, this.balls);
  }
  move(x) {
    const a = new Vector3();
    const b = new Vector3();
    const turn = new Quaternion();
    const place = new Matrix4();
    for (let i = 0; i < this.points; ++i) {
      a.fromArray(x, 3 * i);
      this.balls.setMatrixAt(i, place.makeTranslation(a));
      if (i + 1 === this.points) break;
      b.fromArray(x, 3 * i + 3).sub(a);
      const length = b.length() || 1e-12;
      turn.setFromUnitVectors(upright, b.clone().divideScalar(length));
      this.pieces.setMatrixAt(i, place.compose(a.addScaledVector(b, 0.5), turn, new Vector3(1, length, 1)));
    }
    this.balls.instanceMatrix.needsUpdate = true;
    this.pieces.instanceMatrix.needsUpdate = true;
  }
}

class Body {
  constructor(data, colour, frames) {
    this.data = data;
    this.count = data.motion_count;
    this.motion = numbers(data.motion);
    this.frames = Math.floor(this.motion.length / this.count);
    this.moves = this.frames > 1;
    this.colour = data.colour ?? (this.moves ? colour : fixedColour);
    const material = new MeshStandardMaterial({ color: new Color(this.colour), roughness: 0.55, metalness: 0.1 });
    this.size = Array.from(numbers(data.size));
    this.node = data.shape === 'curve'
      ? new Tube(this.size, this.count / 3, material)
      : makers[data.shape](this.size, material);
    this.x = new Float64Array(this.count);
    if (data.trail && this.moves) this.makeTrail(frames);
  }
  // Position of the frame, or the last of several points.
  tip(frame) {
    return frame * this.count + (this.data.shape === 'curve' || this.data.shape === 'rod' ? this.count - 3 : 0);
  }
  makeTrail(frames) {
    const place = new Float32Array(3 * frames);
    for (let i = 0; i < frames; ++i)
      for (let k = 0; k < 3; ++k) place[3 * i + k] = this.motion[this.tip(i) + k];
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(place, 3));
    this.trail = new Line(geometry, new LineBasicMaterial({ color: this.colour, transparent: true, opacity: 0.75 }));
    this.trail.frustumCulled = false;
  }
  // Between frame i and i + 1.
  move(i, part) {
    const { count, motion, x } = this;
    if (!this.moves) {
      i = 0;
      part = 0;
    }
    const from = i * count;
    const to = part > 0 ? from + count : from;
    for (let k = 0; k < count; ++k) x[k] = motion[from + k] + part * (motion[to + k] - motion[from + k]);
    if (this.trail) this.trail.geometry.setDrawRange(0, i + 1);
    const { node } = this;
    if (node instanceof Tube) {
      node.move(x);
    } else if (count === 7) {
      node.position.fromArray(x);
      const a = new Quaternion(motion[from + 4], motion[from + 5], motion[from + 6], motion[from + 3]);
      const b = new Quaternion(motion[to + 4], motion[to + 5], motion[to + 6], motion[to + 3]);
      node.quaternion.copy(a.slerp(b, part));
    } else if (count === 3) {
      node.position.fromArray(x);
    } else {
      const a = new Vector3().fromArray(x);
      const way = new Vector3().fromArray(x, 3).sub(a);
      const length = way.length() || 1e-12;
      node.position.copy(a).addScaledVector(way, 0.5);
      node.quaternion.setFromUnitVectors(upright, way.divideScalar(length));
      node.scale.set(1, length, 1);
    }
  }
}

// Low and high corner of everything in at most 300 frames, fewer for bodies of many points, and the points with
// their reach.
function bounds(bodies) {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  const points = [];
  const add = (p, reach) => {
    if (Number.isNaN(p.x + p.y + p.z)) return;
    points.push({ p, reach });
    low.min(p.clone().subScalar(reach));
    high.max(p.clone().addScalar(reach));
  };
  for (const body of bodies) {
    const most = body.count === 7 ? 300 : Math.min(300, Math.max(10, Math.floor(9000 / body.count)));
    const stride = Math.max(1, Math.floor(body.frames / most));
    let corners = null;
    if (body.count === 7) {
      body.node.geometry.computeBoundingBox();
      const { min, max } = body.node.geometry.boundingBox;
      corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
        new Vector3(i & 1 ? min.x : max.x, i & 2 ? min.y : max.y, i & 4 ? min.z : max.z));
    }
    for (let i = 0; i < body.frames; i += stride) {
      const at = i * body.count;
      const x = body.motion;
      if (corners) {
        const turn = new Quaternion(x[at + 4], x[at + 5], x[at + 6], x[at + 3]);
        for (const c of corners) add(c.clone().applyQuaternion(turn).add(new Vector3().fromArray(x, at)), 0);
      } else {
        for (let k = 0; k < body.count; k += 3)
          add(new Vector3().fromArray(x, at + k), Math.max(body.size[0], body.size[1] ?? 0));
      }
    }
  }
  return { low, high, points };
}

export function animate(parent, data, onTime) {
  const t = numbers(data.t);
  const from = t[0];
  const to = t[t.length - 1];
  const stage = element('div.stage');
  parent.append(stage);

  let renderer;
  try {
    renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  } catch (error) {
    stage.append(element('p.empty', 'This browser offers no WebGL, so the bodies cannot be drawn.'));
    return null;
  }
  renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
  stage.append(renderer.domElement);

  const world = new Scene();
  let next = 0;
  const bodies = data.bodies.map((b) => {
    const moves = numbers(b.motion).length > b.motion_count;
    const body = new Body(b, colours[moves ? next++ % colours.length : 0], t.length);
    world.add(body.node);
    if (body.trail) world.add(body.trail);
    return body;
  });

  const up = new Vector3().fromArray(numbers(data.up)).normalize();
  const { low, high, points } = bounds(bodies);
  const centre = low.clone().add(high).multiplyScalar(0.5);
  const radius = Math.max(0.5 * high.distanceTo(low), 1e-9);

  world.add(new HemisphereLight(0xffffff, 0x8d99a8, 1.5), new AmbientLight(0xffffff, 0.5));
  const lamp = new DirectionalLight(0xffffff, 2);
  world.add(lamp, lamp.target);
  lamp.target.position.copy(centre);

  const cell = 10 ** Math.floor(Math.log10(radius));
  const cells = Math.max(4, 2 * Math.ceil((1.6 * radius) / cell));
  const grid = new GridHelper(cells * cell, cells, 0x8795a8, 0x8795a8);
  grid.material.transparent = true;
  grid.material.opacity = 0.28;
  grid.quaternion.setFromUnitVectors(upright, up);
  const floor = data.ground ?? Math.min(low.dot(up), high.dot(up)) - 0.04 * radius;
  grid.position.copy(centre).addScaledVector(up, floor - centre.dot(up));
  world.add(grid);

  const camera = new PerspectiveCamera(32, 1, radius / 100, radius * 60);
  camera.up.copy(up);
  const controls = new OrbitControls(camera, renderer.domElement);
  const eye = new Vector3().fromArray(numbers(data.view)).normalize();
  // As near as everything that is ever drawn allows, from the middle of how it looks from there.
  const look = () => {
    const steep = Math.tan((camera.fov * Math.PI) / 360);
    const right = new Vector3().crossVectors(up, eye).normalize();
    const above = new Vector3().crossVectors(eye, right);
    const middle = centre.clone();
    for (const way of [right, above]) {
      let [least, most] = [Infinity, -Infinity];
      for (const { p } of points) {
        least = Math.min(least, p.dot(way));
        most = Math.max(most, p.dot(way));
      }
      if (Number.isFinite(least + most)) middle.addScaledVector(way, 0.5 * (least + most) - middle.dot(way));
    }
    let away = radius / 10;
    const c = new Vector3();
    for (const { p, reach } of points) {
      c.subVectors(p, middle);
      const wide = (Math.abs(c.dot(right)) + reach) / (steep * camera.aspect);
      away = Math.max(away, c.dot(eye) + reach + 1.1 * Math.max(wide, (Math.abs(c.dot(above)) + reach) / steep));
    }
    controls.target.copy(middle);
    camera.position.copy(middle).addScaledVector(eye, away);
    controls.update();
  };

  let time = from;
  let playing = false;
  let asked = false;
  const draw = () => {
    asked = false;
    lamp.position.copy(camera.position).addScaledVector(up, 1.5 * radius);
    renderer.render(world, camera);
  };
  const ask = () => {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  };
  controls.addEventListener('change', ask);

  const slider = element('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0 });
  slider.setAttribute('aria-label', 'time');
  const clock = element('output');
  const button = element('button.main', '▶ Play');
  const span = to - from;
  // As fast as it is where that takes 3 to 120 seconds, else ten seconds for all.
  const natural = Math.abs(span) >= 3 && Math.abs(span) <= 120 ? 1 : Math.abs(span) / 10;
  const speed = element('select', { title: 'speed, in times of real time', ariaLabel: 'speed' });
  for (const factor of [0.1, 0.25, 0.5, 1, 2, 4, 10]) {
    const rate = factor * natural;
    const text = rate === 1 ? 'real time' : `× ${brief(rate, 3)}`;
    speed.append(element('option', { value: String(rate), selected: factor === 1 }, text));
  }

  const show = (at) => {
    time = at;
    // Frames ascend or descend in time.
    let a = 0;
    let b = t.length - 1;
    while (b - a > 1) {
      const middle = (a + b) >> 1;
      if ((t[middle] - at) * Math.sign(span || 1) <= 0) a = middle;
      else b = middle;
    }
    const part = b > a && t[b] !== t[a] ? Math.min(1, Math.max(0, (at - t[a]) / (t[b] - t[a]))) : 0;
    for (const body of bodies) body.move(part === 1 ? b : a, part === 1 ? 0 : part);
    slider.value = span ? (at - from) / span : 0;
    clock.textContent = `t = ${at.toPrecision(5)}`;
    onTime?.(at);
    ask();
  };

  let last = 0;
  const tick = (moment) => {
    if (!playing) return;
    const passed = Math.min(0.1, (moment - last) / 1000);
    last = moment;
    let at = time + Math.sign(span) * Number(speed.value) * passed;
    if ((at - to) * Math.sign(span) >= 0) at = from; // again
    show(at);
    requestAnimationFrame(tick);
  };
  const play = (on) => {
    playing = on && span !== 0;
    button.textContent = playing ? '❚❚ Pause' : '▶ Play';
    if (playing) {
      last = performance.now();
      requestAnimationFrame(tick);
    }
  };
  button.addEventListener('click', () => play(!playing));
  slider.addEventListener('input', () => show(from + span * Number(slider.value)));
  keyboard({ parent, canvas: renderer.domElement, controls, bodies, play: () => play(!playing), step: (way) => {
    play(false);
    const at = time + (way * span) / 100;
    show(span > 0 ? Math.min(to, Math.max(from, at)) : Math.max(to, Math.min(from, at)));
  } });
  const reset = element('button', { title: 'back to the first view', onclick: () => { look(); ask(); } }, 'Reset');
  parent.append(element('div.controls', button, slider, clock, speed, reset));

  const chips = bodies.map((body) => {
    const chip = element('button', { title: 'show or hide' }, element('i'), body.data.name);
    chip.firstChild.style.background = body.colour;
    chip.addEventListener('click', () => {
      body.node.visible = !body.node.visible;
      if (body.trail) body.trail.visible = body.node.visible;
      chip.classList.toggle('off', !body.node.visible);
      ask();
    });
    return chip;
  });
  if (chips.length <= 40) parent.append(element('div.bodies', chips));

  const fit = (first) => {
    const { clientWidth: width, clientHeight: height } = stage;
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(1, height);
    camera.updateProjectionMatrix();
    if (first) look();
    ask();
  };
  fit(true);
  new ResizeObserver(() => fit(false)).observe(stage);
  show(from);
  draw();
  return { show, play, bodies, get time() { return time; }, get playing() { return playing; }, camera, canvas: renderer.domElement };
}
