/* Shows a profile. Times are clocks of the model; a view is a range of them, which the timeline and the memories share. */
'use strict';
(() => {
  const D = page.data, P = D.profile, NAMES = D.waits, GRAIN = D.grain;
  const $ = id => document.getElementById(id);
  const QUEUES = Object.keys(P.queues);
  const ROW = { name: 0, descriptor: 1, queue: 2, file: 3, line: 4, column: 5, count: 6, busy: 7, waited: 8, bytes: 9 };
  /* Queues by index, then the dispatcher and other cores. */
  const LIGHT = ['#7f7f7f', '#0072b2', '#d55e00', '#009e73', '#e69f00', '#cc79a7', '#56b4e9', '#4a4a4a', '#7a5c00'];
  const DARK = ['#9a9a9a', '#3d9bd6', '#e8743b', '#22b88f', '#e6a91f', '#d992ba', '#79c5ef', '#b0b0b0', '#d6b656'];
  const ARROWS = 400;   /* as many are drawn; more are a thicket */
  const ROW_HEIGHT = 26, HEAD = 20;
  const n = page.number, make = page.make;
  const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + ' %' : '0.0 %';
  const share = part => percent(part, P.core_clocks);
  const time = clocks => n(clocks) + (clocks === 1 ? ' clock' : ' clocks') + ' (' + (clocks / P.mhz).toFixed(3) + ' µs)';
  const wait = by => by < QUEUES.length ? NAMES[by] : 'the ' + NAMES[by];
  const place = r => r[ROW.file] < 0 ? 'descriptor ' + r[ROW.descriptor] : D.files[r[ROW.file]].path + ':' + r[ROW.line] + ':' + r[ROW.column];

  let isDark = () => false;
  const colour = i => (isDark() ? DARK : LIGHT)[i];
  function inkOn(c) {   /* black or white, whichever is easier to read */
    const f = i => { const v = parseInt(c.slice(i, i + 2), 16) / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * f(1) + 0.7152 * f(3) + 0.0722 * f(5) > 0.18 ? '#000000' : '#ffffff';
  }

  /* ---- data -------------------------------------------------------------- */

  function decode(flat, contents) {
    const step = contents ? 5 : GRAIN ? 9 : 5, count = flat.length / step;
    const lane = { n: count, begin: new Float64Array(count), end: new Float64Array(count), row: new Uint32Array(count), count: new Float64Array(count),
                   busy: new Float64Array(count), waited: new Float64Array(count), by: new Uint8Array(count), inside: new Float64Array(count), insideBy: new Uint8Array(count) };
    let at = 0;
    for (let i = 0, f = 0; i < count; i++, f += step) {
      lane.begin[i] = at + flat[f];
      lane.end[i] = at = lane.begin[i] + flat[f + 1];
      lane.row[i] = flat[f + 2];
      const more = contents ? f + 3 : f + 5;
      if (!contents) { lane.waited[i] = flat[f + 3]; lane.by[i] = flat[f + 4]; }
      const joined = contents || GRAIN > 0;
      lane.count[i] = joined ? flat[more] : 1;
      lane.busy[i] = joined ? flat[more + 1] : lane.end[i] - lane.begin[i];
      if (!contents && GRAIN) { lane.inside[i] = flat[f + 7]; lane.insideBy[i] = flat[f + 8]; }
    }
    return lane;
  }

  const cores = D.cores.map((c, core) => ({
    lanes: c.queues.map(q => ({ core, queue: q.queue, lane: decode(q.spans, false) })),
    places: c.places.map(x => ({ core, region: x.region, lo: x.lo, hi: x.hi, lane: decode(x.spans, true) })),
  }));
  const arrows = [];
  for (let i = 0; i < D.arrows.length; i += 6) {
    const [core, from, to, id, begin, end] = D.arrows.slice(i, i + 6);
    arrows.push({ core, from, to, id, begin, end });
  }

  /* ---- drawing ----------------------------------------------------------- */

  const total = Math.max(P.clocks, 1);
  const view = { from: 0, to: total };
  let shown = [], selected = null, hovered = null;

  function surface(canvas, height) {
    const width = Math.max(canvas.clientWidth, 50), dots = Math.max(1, Math.min(devicePixelRatio || 1, 2));
    canvas.style.height = height + 'px';
    canvas.width = Math.round(width * dots);
    canvas.height = Math.round(height * dots);
    const g = canvas.getContext('2d');
    g.setTransform(dots, 0, 0, dots, 0, 0);
    g.fillStyle = page.colour('back');
    g.fillRect(0, 0, width, height);
    g.font = '11.5px system-ui, sans-serif';
    g.textBaseline = 'middle';
    return { g, width, height };
  }

  const gutter = width => width < 600 ? 62 : 124;
  const xOf = (clock, width) => gutter(width) + (clock - view.from) / (view.to - view.from) * (width - gutter(width) - 6);
  const clockAt = (x, width) => view.from + (x - gutter(width)) / (width - gutter(width) - 6) * (view.to - view.from);

  const patterns = new Map();
  function hatch(g, by) {   /* queues in one direction, the dispatcher in the other one, cores both */
    const key = by + colour(by);
    if (!patterns.has(key)) {
      const c = document.createElement('canvas'), size = 7;
      c.width = c.height = size;
      const h = c.getContext('2d');
      h.strokeStyle = colour(by);
      h.lineWidth = 1.6;
      h.beginPath();
      if (by !== QUEUES.length) { h.moveTo(-1, size + 1); h.lineTo(size + 1, -1); h.moveTo(-1, 1); h.lineTo(1, -1); h.moveTo(size - 1, size + 1); h.lineTo(size + 1, size - 1); }
      if (by >= QUEUES.length) { h.moveTo(-1, -1); h.lineTo(size + 1, size + 1); }
      h.stroke();
      patterns.set(key, c);
    }
    return g.createPattern(patterns.get(key), 'repeat');
  }

  const widths = new Map();
  function widthOf(g, text) {
    const key = g.font + text;
    if (!widths.has(key)) { widths.set(key, g.measureText(text).width); }
    return widths.get(key);
  }

  /* Writes the first of the texts that fits, in the middle of what is to be seen of a span. */
  function label(g, texts, left, right, y, ink, plate) {
    for (const text of texts) {
      const w = widthOf(g, text);
      if (w + 8 <= right - left) {
        const x = (left + right - w) / 2;
        if (plate) { g.fillStyle = plate; g.fillRect(x - 3, y - 7, w + 6, 14); }
        g.fillStyle = ink;
        g.fillText(text, x, y);
        return;
      }
    }
  }

  function ticks(from, to, most) {
    const rough = (to - from) / Math.max(most, 1), ten = 10 ** Math.floor(Math.log10(rough)), unit = rough / ten;
    const step = (unit <= 1 ? 1 : unit <= 2 ? 2 : unit <= 5 ? 5 : 10) * ten, out = [];
    for (let i = Math.ceil(from / step - 1e-9); i <= to / step + 1e-9; i++) { out.push(i * step || 0); }
    return out;
  }

  function drawAxis() {
    const { g, width } = surface($('axis'), 34);
    const most = (width - gutter(width)) / 90;
    g.textAlign = 'right';
    g.fillStyle = page.colour('front');
    g.fillText('clocks', gutter(width) - 8, 9);
    g.fillStyle = page.colour('dim');
    g.fillText('µs', gutter(width) - 8, 25);
    const mark = (values, scale, y, ink) => {
      let free = gutter(width) - 30;
      for (const v of values) {
        const x = xOf(v * scale, width), text = page.number(v), w = widthOf(g, text);
        const left = Math.min(Math.max(x - w / 2, gutter(width) - 4), width - w - 2);
        g.fillStyle = page.colour('line');
        g.fillRect(x, y < 15 ? 0 : 17, 1, 3);
        if (left >= free && x >= gutter(width) - 1) {
          g.textAlign = 'left';
          g.fillStyle = ink;
          g.fillText(text, left, y + 1);
          free = left + w + 10;
        }
      }
    };
    mark(ticks(view.from, view.to, most), 1, 9, page.colour('front'));
    mark(ticks(view.from / P.mhz, view.to / P.mhz, most), P.mhz, 25, page.colour('dim'));
  }

  function grid(g, width, top, bottom) {
    g.fillStyle = page.colour('line');
    for (const t of ticks(view.from, view.to, (width - gutter(width)) / 90)) {
      g.globalAlpha = 0.6;
      g.fillRect(Math.round(xOf(t, width)), top, 1, bottom - top);
    }
    g.globalAlpha = 1;
  }

  /* The first span of a lane that ends at a clock or later. */
  function firstAt(lane, clock) {
    let lo = 0, hi = lane.n;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (lane.end[mid] < clock) { lo = mid + 1; } else { hi = mid; }
    }
    return lo;
  }

  /* Adds to each column what part of it something takes. */
  function spread(columns, from, to, times) {
    for (let x = Math.max(Math.floor(from), 0); x <= to && x < columns.length; x++) {
      columns[x] += Math.max(Math.min(to, x + 1) - Math.max(from, x), 0) * times;
    }
  }

  /* Draws what a queue did. Of spans that are narrower than a point each column shows how much of its time they take. */
  function drawLane(g, width, item, y) {
    const lane = item.lane, c = colour(item.queue), ink = inkOn(c), back = page.colour('back');
    const left = gutter(width), right = width - 6, columns = new Float32Array(Math.ceil(width) + 2);
    const waits = new Map();
    let drawn = 0;
    const clip = x => Math.min(Math.max(x, left), right);
    for (let i = firstAt(lane, view.from); i < lane.n && lane.begin[i] - lane.waited[i] <= view.to; i++, drawn++) {
      const x0 = xOf(lane.begin[i], width), x1 = xOf(lane.end[i], width), w0 = xOf(lane.begin[i] - lane.waited[i], width);
      if (lane.waited[i] > 0 && clip(x0) - clip(w0) >= 1.5) {
        const a = clip(w0), b = clip(x0);
        g.fillStyle = hatch(g, lane.by[i]);
        g.fillRect(a, y + 5, b - a, ROW_HEIGHT - 10);
        label(g, ['waits for ' + wait(lane.by[i]), wait(lane.by[i])], a, b, y + ROW_HEIGHT / 2, page.colour('front'), back);
      } else if (lane.waited[i] > 0) {
        const key = lane.by[i];
        if (!waits.has(key)) { waits.set(key, new Float32Array(columns.length)); }
        spread(waits.get(key), clip(w0), clip(x0), 1);
      }
      if (x1 - x0 < 1.5) {
        spread(columns, x0, x1, lane.end[i] > lane.begin[i] ? lane.busy[i] / (lane.end[i] - lane.begin[i]) : 0);
        continue;
      }
      drawSpan(g, lane, i, clip(x0), clip(x1), y, c, ink);
    }
    for (const [by, cover] of waits) {
      g.fillStyle = colour(by);
      cover.forEach((v, x) => { if (v > 0 && x >= left - 1) { g.globalAlpha = Math.min(0.4, 0.4 * v); g.fillRect(x, y + 9, 1, ROW_HEIGHT - 18); } });
    }
    g.fillStyle = c;
    columns.forEach((v, x) => { if (v > 0 && x >= left - 1 && x <= right) { g.globalAlpha = Math.min(1, Math.max(0.25, v)); g.fillRect(x, y + 3, 1, ROW_HEIGHT - 6); } });
    g.globalAlpha = 1;
    return drawn;
  }

  /* One instruction; or several that were joined, of which the filled part says how busy the queue was. */
  function drawSpan(g, lane, i, a, b, y, c, ink) {
    const name = D.rows[lane.row[i]][ROW.name], top = y + 3, height = ROW_HEIGHT - 6;
    const busy = lane.end[i] > lane.begin[i] ? lane.busy[i] / (lane.end[i] - lane.begin[i]) : 1;
    if (lane.count[i] > 1) {
      if (lane.inside[i] > 0) { g.fillStyle = hatch(g, lane.insideBy[i]); g.fillRect(a, top + 2, b - a, height - 4); }
      g.fillStyle = c;
      g.fillRect(a, top + height * (1 - busy), b - a, height * busy);
      label(g, [lane.count[i] + ' instructions'], a, b, y + ROW_HEIGHT / 2, page.colour('front'), page.colour('back'));
      return;
    }
    g.fillStyle = c;
    g.fillRect(a, top, b - a, height);
    if (b - a > 4) { g.fillStyle = page.colour('back'); g.globalAlpha = 0.75; g.fillRect(b - 1, top, 1, height); g.globalAlpha = 1; }
    label(g, [name], a, b - 1, y + ROW_HEIGHT / 2, ink);
  }

  function outline(g, width, y, span) {
    const a = Math.max(xOf(span.lane.begin[span.i], width), gutter(width)), b = Math.min(xOf(span.lane.end[span.i], width), width - 4);
    g.strokeStyle = page.colour('front');
    g.lineWidth = 2;
    g.strokeRect(a - 1, y + 2, Math.max(b - a, 1) + 2, ROW_HEIGHT - 4);
  }

  function drawArrow(g, x0, y0, x1, y1, c) {
    const down = y1 > y0 ? 1 : -1, tip = y1 - down;
    g.strokeStyle = g.fillStyle = c;
    g.lineWidth = 1.2;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0, y0 + down * 10, x1, tip - down * 10, x1, tip - down * 4);
    g.stroke();
    g.beginPath();
    g.moveTo(x1, tip);
    g.lineTo(x1 - 3, tip - down * 6);
    g.lineTo(x1 + 3, tip - down * 6);
    g.fill();
    g.beginPath();
    g.arc(x0, y0, 1.8, 0, 7);
    g.fill();
  }

  /* Arrows go from the edge of one row to the edge of another one, from the flag that is set to the queue that goes on. */
  function drawArrows(g, width, rows) {
    const seen = arrows.filter(a => rows.has(a.core + '.' + a.from) && rows.has(a.core + '.' + a.to) && a.end >= view.from && a.begin <= view.to &&
                                    a.begin >= view.from && a.end <= view.to);
    const wanted = $('arrows') === null || $('arrows').checked;
    const crowded = seen.length > ARROWS || seen.length > (width - gutter(width)) / 6 * Math.max(1, shown.length / 3);
    if (wanted && !crowded) {
      for (const a of seen) {
        const from = rows.get(a.core + '.' + a.from), to = rows.get(a.core + '.' + a.to), down = to > from;
        drawArrow(g, xOf(a.begin, width), from + (down ? ROW_HEIGHT - 3 : 3), xOf(a.end, width), to + (down ? 3 : ROW_HEIGHT - 3), page.colour('front'));
      }
    }
    $('lanes').dataset.arrows = wanted && !crowded ? seen.length : 0;
    $('hidden').textContent = wanted && crowded ? n(seen.length) + ' arrows are not drawn at this scale: zoom in to see them.' : '';
  }

  let rowList = [];
  function drawLanes() {
    const several = new Set(shown.map(l => l.core)).size > 1;
    let height = 4;
    rowList = [];
    shown.forEach((item, i) => {
      if (several && (i === 0 || shown[i - 1].core !== item.core)) { rowList.push({ head: 'core ' + item.core, y: height }); height += HEAD; }
      rowList.push({ item, y: height });
      height += ROW_HEIGHT;
    });
    const { g, width } = surface($('lanes'), height + 6), rows = new Map();
    grid(g, width, 0, height + 6);
    let drawn = 0;
    for (const row of rowList) {
      if (row.head) {
        g.fillStyle = page.colour('panel');
        g.fillRect(0, row.y, width, HEAD);
        g.fillStyle = page.colour('front');
        g.fillText(row.head, 6, row.y + HEAD / 2 + 1);
        continue;
      }
      rows.set(row.item.core + '.' + row.item.queue, row.y);
      g.fillStyle = colour(row.item.queue);
      g.fillRect(6, row.y + 6, 9, ROW_HEIGHT - 12);
      g.fillStyle = page.colour('front');
      g.fillText(NAMES[row.item.queue], 20, row.y + ROW_HEIGHT / 2);
      drawn += drawLane(g, width, row.item, row.y);
    }
    for (const span of [hovered, selected]) {
      const row = span && rowList.find(r => r.item && r.item.lane === span.lane);
      if (row) { outline(g, width, row.y, span); }
    }
    drawArrows(g, width, rows);
    $('lanes').dataset.drawn = drawn;
    $('lanes').setAttribute('aria-label', 'timeline of ' + shown.length + ' queues from clock ' + n(Math.round(view.from)) + ' to ' + n(Math.round(view.to)));
  }

  /* All of the run, with a frame around what the timeline shows. */
  function drawOverview() {
    const { g, width, height } = surface($('overview'), 34), left = gutter(width), right = width - 6;
    const lanes = shown.filter(l => l.core === shown[0].core), h = (height - 4) / Math.max(lanes.length, 1);
    const x = clock => left + clock / total * (right - left);
    lanes.forEach((item, k) => {
      const cover = new Float32Array(Math.ceil(width) + 1), lane = item.lane;
      for (let i = 0; i < lane.n; i++) {
        spread(cover, x(lane.begin[i]), x(lane.end[i]), lane.end[i] > lane.begin[i] ? lane.busy[i] / (lane.end[i] - lane.begin[i]) : 0);
      }
      g.fillStyle = colour(item.queue);
      cover.forEach((v, p) => { if (v > 0) { g.globalAlpha = Math.min(1, 0.15 + v); g.fillRect(p, 2 + k * h, 1, Math.max(h - 1, 1)); } });
    });
    g.globalAlpha = 1;
    g.fillStyle = page.colour('dim');
    g.fillText(width < 600 ? 'all' : 'all of it', 6, height / 2);
    if (view.from > 0 || view.to < total) {
      g.strokeStyle = page.colour('front');
      g.lineWidth = 2;
      g.strokeRect(x(view.from), 1, Math.max(x(view.to) - x(view.from), 2), height - 2);
    }
  }

  /* ---- memories ---------------------------------------------------------- */

  /* A scale of addresses: in proportion, but no piece between two edges of buffers is too low to see. */
  function addressScale(places) {
    const edges = new Set([0]);
    for (const p of places) {
      const r = D.regions[p.region];
      edges.add(p.lo).add(p.hi).add(r.address).add(r.address + r.bytes);
    }
    const at = [...edges].sort((a, b) => a - b), top = at[at.length - 1], low = at.length <= 28 ? 15 : 0;
    const heights = [], whole = Math.max(120, low ? 0 : 420);
    let y = 0;
    for (let i = 0; i < at.length; i++) {
      heights.push(y);
      y += i + 1 < at.length ? Math.max(low, (at[i + 1] - at[i]) / Math.max(top, 1) * whole) : 0;
    }
    return {
      height: y, edges: at,
      of(address) {
        let i = 0;
        while (i + 2 < at.length && at[i + 1] <= address) { i++; }
        return at.length < 2 ? 0 : heights[i] + (address - at[i]) / (at[i + 1] - at[i]) * (heights[i + 1] - heights[i]);
      },
    };
  }

  let boxes = [];
  function panels(core) {
    const out = [];
    for (const m of D.memories) {
      const places = cores[core].places.filter(p => D.regions[p.region].memory === m.memory);
      if (places.length) { out.push({ m, places, scale: addressScale(places) }); }
    }
    return out;
  }

  function drawPanel(g, width, panel, top) {
    const bottom = top + panel.scale.height, left = gutter(width), right = width - 6, y = address => bottom - panel.scale.of(address);
    const clip = x => Math.min(Math.max(x, left), right);
    grid(g, width, top, bottom);
    g.strokeStyle = page.colour('line');
    g.lineWidth = 1;
    g.strokeRect(left, top, right - left, bottom - top);
    const tall = panel.places.map(p => [p, Math.max(y(p.lo) - y(p.hi), 2)]);
    for (const [p, h] of tall) {
      const lane = p.lane;
      for (let i = firstAt(lane, view.from); i < lane.n && lane.begin[i] <= view.to; i++) {
        const a = clip(xOf(lane.begin[i], width)), b = Math.max(clip(xOf(lane.end[i], width)), a + 0.7), c = colour(D.rows[lane.row[i]][ROW.queue]);
        g.fillStyle = c;
        g.globalAlpha = lane.count[i] > 1 ? 0.3 : 0.42;
        g.fillRect(a, y(p.hi), b - a, h);
        g.globalAlpha = 1;
        if (b - a > 3) { g.strokeStyle = c; g.lineWidth = 1.2; g.strokeRect(a + 0.6, y(p.hi) + 0.6, b - a - 1.2, h - 1.2); }
        if (h >= 12) { label(g, [D.regions[p.region].name], a, b, y(p.hi) + h / 2, page.colour('front')); }
        boxes.push({ p, i, a, b, top: y(p.hi), bottom: y(p.lo) });
      }
    }
    drawPlaces(g, width, panel, y, bottom);
  }

  /* Names of buffers and addresses beside the panel; what has no room is left to the table below. */
  function drawPlaces(g, width, panel, y, bottom) {
    let last = Infinity;
    const narrow = width < 600, used = [];
    g.font = '10.5px system-ui, sans-serif';
    if (!narrow) {
      g.textAlign = 'right';
      g.fillStyle = page.colour('dim');
      for (const e of panel.scale.edges) {
        const at = Math.max(Math.min(y(e), bottom - 4), bottom - panel.scale.height + 6);
        if (last - at >= 12) { g.fillText(page.number(e), gutter(width) - 5, at); last = at; }
      }
      g.textAlign = 'left';
    }
    g.fillStyle = page.colour('front');
    for (const region of new Set(panel.places.map(p => p.region))) {
      const r = D.regions[region], mid = (y(r.address) + y(r.address + r.bytes)) / 2, room = narrow ? gutter(width) - 6 : gutter(width) - 54;
      if (used.every(u => Math.abs(u - mid) >= 12)) {
        let text = r.name;
        while (widthOf(g, text) > room && text.length > 2) { text = text.slice(0, -2) + '…'; }
        g.fillText(text, 3, mid);
        used.push(mid);
      }
    }
    g.font = '11.5px system-ui, sans-serif';
  }

  function drawMap() {
    if (!shown.length || !cores[shown[0].core].places.length) { $('memory').hidden = true; return; }
    const core = shown[0].core, list = panels(core);
    const { g, width } = surface($('map'), list.reduce((h, p) => h + p.scale.height + 34, 4));
    let top = 4;
    boxes = [];
    for (const p of list) {
      g.fillStyle = page.colour('front');
      g.font = '600 12px system-ui, sans-serif';
      g.fillText(p.m.memory + ': ' + n(p.m.peak) + ' of ' + n(p.m.bytes) + ' bytes (' + percent(p.m.peak, p.m.bytes) + ')' + (cores.length > 1 && width >= 600 ? ', on core ' + core : ''), 3, top + 10);
      g.font = '11.5px system-ui, sans-serif';
      drawPanel(g, width, p, top + 20);
      top += p.scale.height + 34;
    }
    $('map').dataset.drawn = boxes.length;
    $('map').setAttribute('aria-label', 'addresses of buffers over time on core ' + core);
  }

  function describeBox(box) {
    const p = box.p, r = D.regions[p.region], lane = p.lane, i = box.i, row = D.rows[lane.row[i]];
    return r.name + ' (' + r.memory + ', ' + r.dtype + '): bytes ' + n(p.lo) + ' to ' + n(p.hi - 1) + '\nin use from clock ' + n(lane.begin[i]) + ' to ' + n(lane.end[i]) +
      ' (' + n(lane.end[i] - lane.begin[i]) + ' clocks), of which instructions take ' + n(lane.busy[i]) + '\n' +
      (lane.count[i] > 1 ? n(lane.count[i]) + ' contents one after another, ' : '') + 'first written or read by ' + row[ROW.name] + ', ' + place(row);
  }

  /* ---- what is under the pointer ----------------------------------------- */

  function describe(span) {
    const { lane, i, item } = span, row = D.rows[lane.row[i]], many = lane.count[i] > 1;
    const what = many ? n(lane.count[i]) + ' instructions, the longest of them ' + row[ROW.name] : row[ROW.name];
    const stall = lane.waited[i] > 0 ? '\nbefore it ' + n(lane.waited[i]) + ' clocks of waiting for ' + wait(lane.by[i]) : '';
    const inside = lane.inside[i] > 0 ? '\nin between ' + n(lane.inside[i]) + ' clocks of waiting, most for ' + wait(lane.insideBy[i]) : '';
    return NAMES[item.queue] + ' of core ' + item.core + ': ' + what + '\n' + place(row) + '\nclocks ' + n(lane.begin[i]) + ' to ' + n(lane.end[i]) + ', ' +
      time(lane.end[i] - lane.begin[i]) + (many ? ', busy ' + percent(lane.busy[i], lane.end[i] - lane.begin[i]) : '') + stall + inside;
  }

  function spanAt(x, y) {
    const width = $('lanes').clientWidth, clock = clockAt(x, width);
    const row = rowList.find(r => r.item && y >= r.y && y < r.y + ROW_HEIGHT);
    if (!row || x < gutter(width) - 2) { return null; }
    const slack = (view.to - view.from) / width, lane = row.item.lane;
    for (let i = firstAt(lane, clock - slack); i < lane.n && lane.begin[i] - lane.waited[i] <= clock + slack; i++) {
      return { item: row.item, lane, i };
    }
    return null;
  }

  function showTip(text, e) {
    const tip = $('tip');
    tip.hidden = !text;
    tip.textContent = text || '';
    if (text) {
      tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
      tip.style.top = (e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 18) + 'px';
    }
  }

  function select(span) {
    selected = span;
    $('details').textContent = '';
    if (span) {
      const row = D.rows[span.lane.row[span.i]], id = lineId(row);
      $('details').append(describe(span).replaceAll('\n', ' · '));
      if (document.getElementById(id)) {
        const link = make('a', { href: '#' + id }, 'to the line');
        link.addEventListener('click', () => target(id));
        $('details').append(' · ', link);
      }
    }
    drawLanes();
  }

  /* ---- moving ------------------------------------------------------------ */

  function setView(from, to) {
    const least = Math.min(total, 8), length = Math.min(Math.max(to - from, least), total);
    view.from = Math.min(Math.max(from + (to - from - length) / 2, 0), total - length);
    view.to = view.from + length;
    drawTime();
  }
  const zoom = (factor, at) => setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const middle = () => (view.from + view.to) / 2;
  const pan = part => setView(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

  /* The next span of the selected queue, in view. */
  function step(by) {
    if (!shown.length) { return; }
    const lane = selected ? selected.lane : shown[0].lane, item = selected ? selected.item : shown[0];
    const i = selected ? Math.min(Math.max(selected.i + by, 0), lane.n - 1) : firstAt(lane, view.from);
    const span = { item, lane, i: Math.min(i, lane.n - 1) };
    if (lane.end[span.i] > view.to || lane.begin[span.i] < view.from) {
      const half = (view.to - view.from) / 2, at = (lane.begin[span.i] + lane.end[span.i]) / 2;
      setView(at - half, at + half);
    }
    select(span);
  }

  const KEYS = {
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), ArrowUp: () => zoom(0.6, middle()), ArrowDown: () => zoom(1 / 0.6, middle()),
    '+': () => zoom(0.6, middle()), '=': () => zoom(0.6, middle()), '-': () => zoom(1 / 0.6, middle()), 0: () => setView(0, total),
    Home: () => setView(0, view.to - view.from), End: () => setView(total - (view.to - view.from), total),
    n: () => step(1), p: () => step(-1), Escape: () => select(null),
  };

  function listen(canvas, hover, click) {
    let drag = null;
    canvas.addEventListener('pointerdown', e => { drag = { x: e.clientX, from: view.from, to: view.to, moved: false }; });
    canvas.addEventListener('pointermove', e => {
      if (drag && e.buttons) {
        const width = canvas.clientWidth, by = (drag.x - e.clientX) / (width - gutter(width)) * (drag.to - drag.from);
        drag.moved = drag.moved || Math.abs(e.clientX - drag.x) > 3;
        if (drag.moved) { canvas.setPointerCapture(e.pointerId); setView(drag.from + by, drag.to + by); showTip('', e); }
        return;
      }
      hover(e);
    });
    canvas.addEventListener('pointerup', e => { if (drag && !drag.moved) { click(e); } drag = null; });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('pointerleave', e => { showTip('', e); if (hovered) { hovered = null; drawLanes(); } });
    canvas.addEventListener('wheel', e => {
      if (!e.ctrlKey && !e.shiftKey && !e.metaKey) { return; }
      e.preventDefault();
      if (e.shiftKey) { pan(Math.sign(e.deltaY || e.deltaX) * 0.1); } else { zoom(e.deltaY > 0 ? 1.25 : 0.8, clockAt(e.offsetX, canvas.clientWidth)); }
    }, { passive: false });
    canvas.addEventListener('dblclick', e => zoom(0.4, clockAt(e.offsetX, canvas.clientWidth)));
  }

  function watch() {
    listen($('lanes'), e => {
      const span = spanAt(e.offsetX, e.offsetY), same = hovered && span && hovered.lane === span.lane && hovered.i === span.i;
      hovered = span;
      if (!same) { drawLanes(); }
      showTip(span && describe(span), e);
    }, e => select(spanAt(e.offsetX, e.offsetY)));
    const boxAt = e => boxes.findLast(b => e.offsetX >= b.a - 1 && e.offsetX <= b.b + 1 && e.offsetY >= b.top - 1 && e.offsetY <= b.bottom + 1);
    listen($('map'), e => { const b = boxAt(e); showTip(b && describeBox(b), e); }, e => { const b = boxAt(e); $('buffer').textContent = b ? describeBox(b).replaceAll('\n', ' · ') : ''; });
    $('lanes').addEventListener('keydown', e => {
      if (KEYS[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); KEYS[e.key](); }
    });
    $('overview').addEventListener('pointerdown', e => {
      const width = $('overview').clientWidth, at = (e.offsetX - gutter(width)) / (width - gutter(width) - 6) * total, half = (view.to - view.from) / 2;
      setView(at - half, at + half);
    });
  }

  function drawTime() { drawOverview(); drawAxis(); drawLanes(); drawMap(); }

  /* ---- what stands still ------------------------------------------------- */

  function pickCore(core) {
    shown = core === 'all' ? cores.flatMap(c => c.lanes) : cores[core].lanes;
    selected = hovered = null;
    if ($('core')) { $('core').value = String(core); }
    drawTime();
  }

  function controls() {
    const button = (text, title, f) => { const b = make('button', { type: 'button', title }, text); b.addEventListener('click', f); return b; };
    if (cores.length > 1) {
      const options = [make('option', { value: 'all' }, 'all ' + cores.length + ' cores'), ...cores.map((c, i) => make('option', { value: String(i) }, 'core ' + i))];
      const choice = make('select', { id: 'core', 'aria-label': 'cores that are shown' }, options);
      choice.addEventListener('change', () => pickCore(choice.value === 'all' ? 'all' : Number(choice.value)));
      $('controls').append(choice);
    }
    $('controls').append(button('+', 'zoom in', () => zoom(0.5, middle())), button('−', 'zoom out', () => zoom(2, middle())), button('all', 'show all', () => setView(0, total)));
    if (arrows.length) {
      const box = make('input', { type: 'checkbox', id: 'arrows', checked: true });
      box.addEventListener('change', drawLanes);
      $('controls').append(make('label', { className: 'box' }, box, ' arrows'));
    }
  }

  function swatch(paint) {
    const c = make('canvas', { className: 'swatch', width: 22, height: 13 });
    paint(c.getContext('2d'));
    return c;
  }

  function legend() {
    const used = QUEUES.map((q, i) => i).filter(i => cores.some(c => c.lanes.some(l => l.queue === i)));
    const causes = NAMES.map((q, i) => i).filter(i => QUEUES.some(q => P.queues[q].waits[NAMES[i]] > 0));
    $('legend').textContent = '';
    $('legend').append(...used.map(i => make('span', {}, swatch(g => { g.fillStyle = colour(i); g.fillRect(0, 0, 22, 13); }), i === 0 ? 'S: elements that the dispatcher accesses' : NAMES[i] + ' executes')),
      ...causes.map(i => make('span', {}, swatch(g => { g.fillStyle = hatch(g, i); g.fillRect(0, 0, 22, 13); }), 'waits for ' + wait(i))));
    if (arrows.length) {
      $('legend').append(make('span', {}, swatch(g => drawArrow(g, 11, 1, 11, 13, page.colour('front'))),
        arrows.some(a => a.id >= 0) ? 'flag: from set_flag to wait_flag' : 'what ended the wait'));
    }
  }

  /* How much of the clocks of all cores each queue works, and waits for what. */
  function drawUse() {
    for (const c of document.querySelectorAll('.use canvas')) {
      const q = P.queues[c.dataset.queue], i = QUEUES.indexOf(c.dataset.queue), { g, width, height } = surface(c, 22);
      let x = 0;
      const part = (clocks, fill) => { const w = clocks / P.core_clocks * width; g.fillStyle = fill; g.fillRect(x, 0, w, height); x += w; };
      part(q.busy, colour(i));
      NAMES.forEach((name, by) => { if (q.waits[name]) { part(q.waits[name], hatch(g, by)); } });
    }
  }

  function use() {
    const box = make('div', { className: 'use' });
    const used = QUEUES.filter(q => P.queues[q].busy > 0);
    for (const q of used) {
      const u = P.queues[q], waits = NAMES.map((name, by) => [by, u.waits[name] || 0]).filter(w => w[1] / P.core_clocks >= 0.001);
      box.append(make('div', { className: 'name' }, q), make('canvas', { role: 'img', 'data-queue': q, 'aria-label': q + ' is busy ' + share(u.busy) }),
        make('div', { className: 'what' }, share(u.busy) + ' busy, ' + n(u.instructions) + ' instructions' + (waits.length ? '; waits for ' + waits.map(w => wait(w[0]) + ' ' + share(w[1])).join(', ') : '')));
    }
    const busiest = used.filter(q => q !== 'S').sort((a, b) => P.queues[b].busy - P.queues[a].busy)[0];
    $('use').append(box, make('p', {}, busiest ? 'The queue that works longest is ' + busiest + ': ' + share(P.queues[busiest].busy) + ' of the clocks of ' + (P.cores > 1 ? 'all cores' : 'the core') +
      '. Solid is work, hatched is waiting, in the colour of what is waited for; the rest of a bar is before the first and after the last instruction.' : 'No queue has an instruction.'));
  }

  const lineId = row => 'l' + row[ROW.file] + '-' + row[ROW.line];

  function target(id) {
    document.querySelectorAll('tr.target').forEach(e => e.classList.remove('target'));
    const row = document.getElementById(id);
    if (row) { row.classList.add('target'); row.scrollIntoView({ block: 'center' }); }
  }

  function link(row) {
    const id = lineId(row);
    if (row[ROW.file] < 0 || D.files[row[ROW.file]].text === undefined) { return place(row); }
    const a = make('a', { href: '#' + id }, place(row));
    a.addEventListener('click', e => { e.preventDefault(); target(id); });
    return a;
  }

  function hot() {
    const rows = D.rows.filter(r => r[ROW.busy] > 0 || r[ROW.waited] > 0).sort((a, b) => b[ROW.busy] - a[ROW.busy] || b[ROW.waited] - a[ROW.waited] || a[ROW.descriptor] - b[ROW.descriptor]);
    const most = 15, text = rows.slice(0, most).map(r => [share(r[ROW.busy]), NAMES[r[ROW.queue]], r[ROW.name], link(r), n(r[ROW.busy]), n(r[ROW.count]), n(r[ROW.waited]), n(r[ROW.bytes])]);
    $('hot').append(page.table(['share', 'queue', 'instruction', 'line', 'clocks', 'times', 'waited', 'bytes'], text, [0, 4, 5, 6, 7]));
    if (rows.length > most) { $('hot').append(make('p', { className: 'dim' }, n(rows.length - most) + ' more lines are in the source below.')); }
  }

  /* What a line takes: clocks by queue, clocks of waiting, bytes. */
  function linesOf(file) {
    const lines = new Map();
    for (const r of D.rows) {
      if (r[ROW.file] === file) {
        if (!lines.has(r[ROW.line])) { lines.set(r[ROW.line], { busy: {}, waited: 0, bytes: 0, all: 0 }); }
        const l = lines.get(r[ROW.line]);
        l.busy[r[ROW.queue]] = (l.busy[r[ROW.queue]] || 0) + r[ROW.busy];
        l.all += r[ROW.busy];
        l.waited += r[ROW.waited];
        l.bytes += r[ROW.bytes];
      }
    }
    return lines;
  }

  function bar(l, most) {
    const parts = Object.entries(l.busy).map(([q, busy]) => {
      const e = make('i', { title: NAMES[q] + ' ' + share(busy) });
      e.style.width = 100 * busy / most + '%';
      e.style.backgroundColor = colour(Number(q));
      e.dataset.queue = q;
      return e;
    });
    return make('div', {}, parts);
  }

  function source(file, index) {
    const lines = linesOf(index), most = Math.max(1, ...[...lines.values()].map(l => l.all));
    if (file.text === undefined) {
      return make('p', { className: 'dim' }, file.path + ': ' + (file.bytes === undefined ? 'its text is not known here; a profile of the program, not of a blob, shows it.' : 'its text of ' + n(file.bytes) + ' bytes is too long to be shown.'));
    }
    const text = file.text.split('\n'), body = make('tbody', {});
    if (text[text.length - 1] === '') { text.pop(); }
    const near = i => text.length <= 1500 || [...Array(11).keys()].some(k => lines.has(i + 1 + k - 5));
    let left = 0;
    const gap = () => { if (left) { body.append(make('tr', { className: 'gap' }, make('td', { colSpan: 6 }, n(left) + ' lines without instructions'))); left = 0; } };
    text.forEach((line, i) => {
      if (!near(i)) { left++; return; }
      gap();
      const l = lines.get(i + 1);
      body.append(make('tr', { id: 'l' + index + '-' + (i + 1) }, make('td', { className: 'n no' }, String(i + 1)),
        make('td', { className: 'bar' }, l && l.all ? bar(l, most) : ''), make('td', { className: 'n' }, l && l.all ? share(l.all) : ''), make('td', { className: 'n wide' }, l && l.waited ? n(l.waited) : ''),
        make('td', { className: 'n wide' }, l && l.bytes ? n(l.bytes) : ''), make('td', {}, line)));
    });
    gap();
    const head = make('tr', {}, ['', 'clocks', 'share', 'waited', 'bytes', file.path].map((h, i) => make('th', { className: (i === 3 || i === 4 ? 'wide ' : '') + (i > 1 && i < 5 ? 'n' : '') }, h)));
    return make('div', { className: 'source' }, make('table', {}, make('thead', {}, head), body));
  }

  function paths() {
    const rows = P.moved.map((m, i) => [m.from + ' to ' + m.to, n(m.bytes), (m.bytes / P.core_clocks).toFixed(2), n(D.rates[i]), percent(m.bytes / D.rates[i], P.core_clocks)]);
    if (!rows.length) { $('paths').append(make('p', {}, 'Nothing was moved between memories.')); return; }
    $('paths').append(page.table(['path', 'bytes', 'bytes a clock', 'rate of the path', 'share of its rate'], rows, [1, 2, 3, 4]),
      make('p', { className: 'dim' }, 'A clock is one of a core. Global memory has the rate of ' + (D.in_l2 ? 'L2: all arguments fit into it.' : 'DDR: the arguments do not fit into L2 together.')));
  }

  function regions() {
    const rows = D.regions.filter(r => r).sort((a, b) => a.memory < b.memory ? -1 : a.memory > b.memory ? 1 : a.address - b.address)
      .map(r => [r.memory, r.name, r.dtype, n(r.address), n(r.address + r.bytes - 1), n(r.bytes)]);
    if (rows.length) {
      $('regions').append(make('p', { className: 'dim' }, 'A box is the contents of a buffer, or of a part of it, from the write to the last read before the next one, in the colour of the queue that wrote them. Low parts of a memory are drawn higher than they are.'),
        make('details', {}, make('summary', {}, n(rows.length) + ' buffers by address'), page.table(['memory', 'buffer', 'type', 'first byte', 'last byte', 'bytes'], rows, [3, 4, 5])));
    }
  }

  function drawStrip() {
    const all = D.ends.length, bars = Math.min(all, 128), h = bars > 40 ? 5 : 15, { g, width } = surface($('strip'), bars * h + 8);
    const left = gutter(width), slowest = Math.max(...D.ends, 1);
    for (let i = 0; i < bars; i++) {
      const from = Math.floor(i * all / bars), to = Math.max(from + 1, Math.floor((i + 1) * all / bars)), end = Math.max(...D.ends.slice(from, to));
      g.fillStyle = end === slowest ? page.colour('strong') : page.colour('dim');
      g.fillRect(left, 4 + i * h, Math.max(end / slowest * (width - left - 90), 1), h - 2);
      if (h > 10 || i % 4 === 0) {
        g.fillStyle = page.colour('front');
        g.fillText('core ' + from, 6, 4 + i * h + h / 2);
        if (h > 10) { g.fillText(n(end), left + end / slowest * (width - left - 90) + 6, 4 + i * h + h / 2 - 1); }
      }
    }
    $('balance').textContent = 'The clock at which the last instruction of each core ends. The slowest one decides; on average cores end after ' +
      percent(D.ends.reduce((a, b) => a + b, 0) / all, slowest) + ' of its time.' + (all > bars ? ' A bar is the slowest of ' + Math.ceil(all / bars) + ' cores.' : '');
  }

  function kept() {
    const out = [];
    out.push(GRAIN ? 'Of ' + n(D.events) + ' instructions the page has ' + n(D.spans) + ' spans: neighbours that begin and end within ' + n(GRAIN) + ' clocks are one span, with the sum of their clocks and waits; sums of queues, lines and paths are of all instructions.'
                   : 'All ' + n(D.events) + ' instructions are in the page.');
    if (D.ends.length > cores.length) { out.push('Spans are those of the first ' + cores.length + ' of ' + D.ends.length + ' cores.'); }
    if (D.all_arrows * 6 > D.arrows.length) { out.push('Of ' + n(D.all_arrows) + ' arrows it has the first ' + n(D.arrows.length / 6) + '.'); }
    if (D.all_regions > D.regions.length) { out.push('Of ' + n(D.all_regions) + ' tensors it shows the first ' + n(D.regions.length) + ' over time.'); }
    $('kept').textContent = out.join(' ');
  }

  function start() {
    isDark = page.onColours(() => colours());
    $('subtitle').textContent = n(P.clocks) + ' clocks, ' + (P.clocks / P.mhz).toFixed(2) + ' µs at ' + n(P.mhz) + ' MHz, on ' + P.cores + (P.cores === 1 ? ' core' : ' cores') + ' of ' + P.target + ', of ' + P.file;
    use();
    controls();
    hot();
    regions();
    paths();
    $('sources').append(...D.files.map(source));
    $('assumptions').append(...D.assumptions.map(a => make('li', {}, a.replace(/\[(.*?)\]\(.*?\)/g, '$1').replace(/[*`]/g, ''))));
    kept();
    $('cores').hidden = D.ends.length < 2;
    watch();
    const slowest = D.ends.slice(0, cores.length).indexOf(Math.max(...D.ends.slice(0, cores.length)));
    const lanes = cores.reduce((sum, c) => sum + c.lanes.length, 0);
    if (cores.length) { pickCore(cores.length > 1 && lanes > 16 ? Math.max(slowest, 0) : cores.length > 1 ? 'all' : 0); } else { $('time').hidden = $('memory').hidden = true; }
    colours();
    let width = innerWidth;
    addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
    addEventListener('beforeprint', redraw);
    addEventListener('afterprint', redraw);
    document.documentElement.dataset.ready = '1';
  }

  function redraw() {
    if (cores.length) { drawTime(); }
    drawUse();
    if (D.ends.length > 1) { drawStrip(); }
  }
  function colours() {
    legend();
    redraw();
    document.querySelectorAll('.bar i').forEach(e => { e.style.backgroundColor = colour(Number(e.dataset.queue)); });
  }

  start();
})();
