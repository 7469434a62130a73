/* What all pages share. A fault of a script is an attribute of the document, so that whoever drives a browser sees it. */
'use strict';
window.addEventListener('error', e => { document.documentElement.dataset.error = String(e.message); });

const page = {
  data: JSON.parse(document.getElementById('data').textContent),

  /* Makes an element. Texts are texts: nothing is ever read as markup. */
  make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key in e && key !== 'list') { e[key] = value; } else { e.setAttribute(key, value); }
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined) { e.append(child); }
    }
    return e;
  },

  number(n) { return n.toLocaleString('en', { maximumFractionDigits: 2 }); },

  table(heads, rows, numeric) {
    const cell = (tag, i, c) => page.make(tag, { className: numeric.includes(i) ? 'n' : '' }, c);
    return page.make('div', { className: 'scroll' }, page.make('table', {},
      page.make('thead', {}, page.make('tr', {}, heads.map((h, i) => cell('th', i, h)))),
      page.make('tbody', {}, rows.map(r => page.make('tr', {}, r.map((c, i) => cell('td', i, c)))))));
  },

  /* Calls f when the colours of the page become others, with whether they are dark; on paper they never are. */
  onColours(f) {
    const dark = matchMedia('(prefers-color-scheme: dark)'), paper = matchMedia('print');
    dark.addEventListener('change', f);
    paper.addEventListener('change', f);
    return () => dark.matches && !paper.matches;
  },

  colour(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); },
};
