// SPDX-License-Identifier: BSD-3-Clause
// Wheel and keys of the moving picture.
const busy = 'input, select, button, summary, [role=button], .scroll';

// The wheel scrolls the page; it zooms once the view was clicked, until something else is. Space plays,
// arrows step, unless they mean something to what has the focus.
export function keyboard({ parent, canvas, controls, bodies, play, step }) {
  controls.enableZoom = false;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `moving picture of ${bodies.length} bodies; space plays, arrows step`);
  canvas.addEventListener('pointerdown', () => {
    controls.enableZoom = true;
    canvas.focus({ preventScroll: true });
  });
  canvas.addEventListener('blur', () => { controls.enableZoom = false; });
  addEventListener('keydown', (event) => {
    const other = event.target.closest?.(busy);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (other && !(parent.contains(other) && other.type === 'range' && event.key === ' ')) return;
    if (event.key === ' ') play();
    else if (event.key === 'ArrowRight') step(1);
    else if (event.key === 'ArrowLeft') step(-1);
    else return;
    event.preventDefault();
  });
}
