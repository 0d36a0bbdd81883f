// SPDX-License-Identifier: BSD-3-Clause
// element('div.card', {title: 'x'}, child, 'text', ...)
export function element(kind, ...rest) {
  const [tag, ...classes] = kind.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const item of rest) {
    if (item === null || item === undefined || item === false) continue;
    if (Array.isArray(item)) node.append(...item.filter(Boolean));
    else if (item instanceof Node || typeof item === 'string') node.append(item);
    else for (const [key, value] of Object.entries(item)) {
      if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    }
  }
  return node;
}

export const colours = ['#3b7dd8', '#e07b2c', '#2f9e68', '#d1477f', '#8566d0', '#1fa3b4', '#b58a17', '#9b6a55'];
export const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
