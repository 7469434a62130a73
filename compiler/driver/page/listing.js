/* Shows a listing. Lines of the columns that were made for one line of the source have one key. */
'use strict';
(() => {
  const D = page.data, make = page.make, n = page.number;
  const $ = id => document.getElementById(id);
  const COLUMNS = ['source', 'ir', 'code'];
  const key = (file, line) => file < 0 || !line ? '' : file + ':' + line;
  let kernel = 0, stage = 'after', pinned = '', bytes = false;
  let groups = new Map();   /* by key: rows of all columns */

  function row(k, ...parts) {
    const e = make('div', { className: 'row' + (k ? ' made' : ''), role: 'option' }, parts);
    if (k) {
      e.dataset.key = k;
      if (!groups.has(k)) { groups.set(k, []); }
      groups.get(k).push(e);
    }
    return e;
  }
  const at = text => make('span', { className: 'at' }, text);

  function sourceRows() {
    const made = new Set();
    for (const list of [D.kernels[kernel][stage], D.kernels[kernel].descriptors]) { list.forEach(r => made.add(key(r[0], r[1]))); }
    return D.files.flatMap((file, f) => {
      const out = [make('div', { className: 'row file' }, file.path)];
      if (file.text === undefined) { return [...out, row('', 'its text is not shown')]; }
      const text = file.text.split('\n');
      if (text[text.length - 1] === '') { text.pop(); }
      const whole = f === 0 || text.length <= 400, near = i => whole || [-2, -1, 0, 1, 2].some(d => made.has(key(f, i + 1 + d)));
      let skipped = false;
      text.forEach((line, i) => {
        if (!near(i)) { skipped = true; return; }
        if (skipped) { out.push(row('', at('…'))); skipped = false; }
        const k = key(f, i + 1);
        out.push(row(made.has(k) ? k : '', at(String(i + 1)), line));
      });
      return out;
    });
  }

  function codeRows() {
    let depth = 0;
    return D.kernels[kernel].descriptors.map(([file, line, queue, offset, hex, text], i) => {
      const word = text.split(' ')[0];
      if (word === 'endloop' || word === 'endif' || word === 'else') { depth--; }
      const e = row(key(file, line), at(bytes ? offset.toString(16) : String(i)), make('span', { className: 'queue' }, queue),
        bytes ? make('span', { className: 'bytes' }, hex.replace(/../g, '$& ')) : '  '.repeat(Math.max(depth, 0)) + text);
      e.dataset.index = i;
      if (word === 'loop' || word === 'if' || word === 'else') { depth++; }
      return e;
    });
  }

  function fill() {
    const k = D.kernels[kernel];
    groups = new Map();
    $('source').replaceChildren(...sourceRows());
    $('ir').replaceChildren(...k[stage].map(r => row(key(r[0], r[1]), r[2])));
    $('code').replaceChildren(...codeRows());
    $('which').textContent = stage === 'after' ? 'after all passes' : 'before any pass';
    const left = [[k[stage + '_left'], 'lines of IR'], [k.descriptors_left, 'descriptors']].filter(x => x[0] > 0);
    $('left').textContent = left.length ? left.map(x => n(x[0]) + ' ' + x[1]).join(' and ') + ' more are not in the page.' : '';
    if (pinned) { pin(groups.has(pinned) ? pinned : '', null); }
  }

  const mark = (k, name, on) => (groups.get(k) || []).forEach(e => e.classList.toggle(name, on));

  function describe(k) {
    if (!k) { return ''; }
    const [file, line] = k.split(':').map(Number), x = D.kernels[kernel];
    const made = x[stage].filter(r => key(r[0], r[1]) === k).length, found = x.descriptors.filter(r => key(r[0], r[1]) === k);
    return D.files[file].path + ':' + line + ' became ' + (x[stage + '_left'] || x.descriptors_left ? 'at least ' : '') + n(made) + (made === 1 ? ' line' : ' lines') + ' of IR and ' + (found.length === 0 ? 'no descriptor' : n(found.length) + (found.length === 1 ? ' descriptor' : ' descriptors') +
      ' of ' + n(found.reduce((sum, r) => sum + r[4].length / 2, 0)) + ' bytes') + (found.length ? ', ' + found.slice(0, 4).map(r => 'at byte ' + n(r[3]) + ': ' + r[4].replace(/../g, '$& ').trim()).join(' · ') + (found.length > 4 ? ' · …' : '') : '');
  }

  /* Keeps a mark; the columns other than the one it was made in show where it is. */
  function pin(k, from) {
    mark(pinned, 'pin', false);
    pinned = k;
    mark(k, 'pin', true);
    $('details').textContent = describe(k);
    for (const name of COLUMNS) {
      const first = $(name).querySelector('.pin');
      if (first && name !== from) { $(name).scrollTop = first.offsetTop - $(name).offsetTop - $(name).clientHeight / 3; }
    }
    document.body.dataset.pinned = k;
  }

  /* The next key of a column in its order, after that of the pinned row. */
  function step(name, by) {
    const rows = [...$(name).querySelectorAll('.made')], last = by > 0 ? rows.findLastIndex(e => e.dataset.key === pinned) : rows.findIndex(e => e.dataset.key === pinned);
    const to = rows[pinned && last >= 0 ? Math.min(Math.max(last + by, 0), rows.length - 1) : 0];
    if (to) { pin(to.dataset.key, name); to.scrollIntoView({ block: 'nearest' }); }
  }

  function watch(name) {
    const column = $(name);
    let over = '';
    const hover = k => { if (k !== over) { mark(over, 'mark', false); over = k; mark(k, 'mark', true); } };
    const of = e => { const r = e.target.closest('.row'); return r && r.dataset.key || ''; };
    column.addEventListener('pointerover', e => hover(of(e)));
    column.addEventListener('pointerleave', () => hover(''));
    column.addEventListener('click', e => pin(of(e) === pinned ? '' : of(e), name));
    column.addEventListener('keydown', e => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (by) { e.preventDefault(); step(name, by); }
      if (e.key === 'Escape') { pin('', name); }
    });
  }

  function choice(label, options, f) {
    const e = make('select', { 'aria-label': label }, options.map(([value, text]) => make('option', { value }, text)));
    e.addEventListener('change', () => { f(e.value); fill(); });
    $('controls').append(e);
    return e;
  }

  $('subtitle').textContent = D.kernels.length + (D.kernels.length === 1 ? ' kernel' : ' kernels') + ' for ' + D.target + '; a blob of ' + n(D.blob_bytes) + ' bytes';
  if (D.kernels.length > 1) { choice('kernel', D.kernels.map((k, i) => [String(i), k.name]), v => { kernel = Number(v); }).id = 'kernel'; }
  choice('kernel IR', [['after', 'IR after all passes'], ['before', 'IR before any pass']], v => { stage = v; }).id = 'stage';
  choice('descriptors', [['text', 'descriptors as text'], ['bytes', 'descriptors as bytes']], v => { bytes = v === 'bytes'; }).id = 'form';
  COLUMNS.forEach(watch);
  fill();
  document.documentElement.dataset.ready = '1';
})();
