// ---- Drawing

const shownText = value => value === null || value === undefined ? '·' : String(value);

// What some rows need: letters of numbers and labels, and each row's parts, in cells and letters of their names.
function measure(rows) {
  const size = {digits: 1, label: 6, lines: new Map()};
  for (const row of rows) {
    size.label = Math.max(size.label, labelOf(row).length, shortName(row.segments[0].key).length);
    const line = row.segments.map((one, i) => ({cells: one.to - one.from + 1, letters: i ? shortName(one.key).length : 0}));
    size.lines.set(JSON.stringify(line), line);
    for (const one of row.segments)
      for (let i = one.from; i <= one.to; ++i) size.digits = Math.max(size.digits, shownText(one.values.get(i)).length);
    for (const wrong of row.wrong.values()) size.digits = Math.max(size.digits, String(wrong.expected).length + 1);
  }
  size.digits = Math.min(size.digits, 10);
  return size;
}
const largest = (a, b) => ({digits: Math.max(a.digits, b.digits), label: Math.max(a.label, b.label), lines: new Map([...a.lines, ...b.lines])});
const linesOf = size => [...size.lines.values()];
const cellsOf = size => Math.max(1, ...linesOf(size).map(line => line.reduce((sum, one) => sum + one.cells, 0)));

const segmentGap = 14, longestName = 20, widestCell = 60;
const labelFont = 12, labelLetter = 7.3;  // a projector's resolution is low
const shortName = key => nameOf(key).length > longestName ? nameOf(key).slice(0, longestName - 1) + '…' : nameOf(key);
const gutterOf = size => Math.ceil(size.label * labelLetter + 8);
const leastCell = size => size.digits * 5.1 + 3;
// Of two parts the second one's name ends at the right edge; more need a place of their own each.
const partWidth = (line, part, cellWidth) => Math.max(part.cells * cellWidth, line.length < 3 ? 0 : part.letters * labelLetter) + segmentGap;
const widthFor = (size, cellWidth) => gutterOf(size) + 4 - segmentGap +
  Math.max(0, ...linesOf(size).map(line => line.reduce((sum, part) => sum + partWidth(line, part, cellWidth), 0)));
const leastWidth = size => widthFor(size, leastCell(size));
function cellWidthFor(size, width) {
  let cellWidth = widestCell;
  while (cellWidth > leastCell(size) && widthFor(size, cellWidth) > width) cellWidth -= .5;
  return Math.max(cellWidth, leastCell(size));
}
function labelOf(row) {
  if (row.kind === 'found') return 'found';
  if (row.depth > 0) return 'then';
  return row.step.dispatch.phaseCount > 1 ? `phase ${row.step.phase}` : `dispatch ${row.step.dispatch.index}`;
}

function plusAt(x, y) {
  return element('g', {class: 'plus', 'aria-hidden': 'true'}, element('circle', {cx: x, cy: y, r: 5}),
    element('path', {d: `M${x - 3} ${y}h6M${x} ${y - 3}v6`}));
}

// A mark for each invocation, filled where it works; of many a bar, filled as far as they are.
function workAt(y, room, work) {
  const text = `${work.active.size} of ${many(work.of, 'invocation')} at work`;
  const g = element('g', {role: 'img', 'aria-label': text}, element('title', {}, text));
  if (work.group !== null && work.of * 5 <= room) {
    const side = Math.min(9, Math.floor(room / work.of) - 2);
    for (let i = 0; i < work.of; ++i)
      g.append(element('rect', {class: 'work' + (work.active.has(`${work.group} ${i}`) ? '' : ' idle'), x: i * (side + 2) + .5, y, width: side, height: side}));
    return g;
  }
  g.append(element('rect', {class: 'work idle', x: .5, y, width: room, height: 5}),
    element('rect', {class: 'work', x: .5, y, width: room * work.active.size / work.of, height: 5}));
  return g;
}

function draw(rows, size, width, description) {
  const gutter = gutterOf(size), cellWidth = cellWidthFor(size, width);
  const font = Math.max(8.5, Math.min(16, (cellWidth - 3) / (size.digits * .605)));
  const noteFont = Math.max(7.5, font * .72);
  const cellHeight = Math.round(font * 1.25 + noteFont * 1.2 + 5), gap = Math.round(Math.min(44, 22 + font * 1.4));
  const top = linesOf(size).some(line => line.length > 1) ? 18 : 2;
  const total = Math.ceil(widthFor(size, cellWidth));
  const widthOf = (row, segment) => partWidth(row.segments,
    {cells: segment.to - segment.from + 1, letters: segment === row.segments[0] ? 0 : shortName(segment.key).length}, cellWidth);
  const height = top + rows.length * cellHeight + Math.max(0, rows.length - 1) * gap + 4;
  const svg = element('svg', {width: total, height, viewBox: `0 0 ${total} ${height}`, role: 'group', 'aria-label': description});
  const center = (row, key, index) => {
    let x = gutter;
    for (const segment of row.segments) {
      if (segment.key === key && index >= segment.from && index <= segment.to) return x + (index - segment.from + .5) * cellWidth;
      x += widthOf(row, segment);
    }
    return null;
  };
  const dense = rows.reduce((most, row) => Math.max(most, row.edges.length), 0) > 4 * cellsOf(size);
  let shownKeys = '';
  rows.forEach((row, place) => {
    const y = row.y = top + place * (cellHeight + gap);
    const g = element('g', {class: 'row', 'data-step': row.step.number, 'data-kind': row.kind});
    const adds = addsUp(row);
    for (const edge of row.edges) {
      const from = center(edge.above, edge.from.memory, edge.from.index), to = center(row, edge.to.memory, edge.to.index);
      if (from === null || to === null) continue;
      const look = edge.kept ? ' kept' : isCopy(edge.to) ? ' copy' : '';
      const line = element('line', {class: 'edge' + look + (dense ? ' dense' : ''), x1: from,
        y1: edge.above.y + cellHeight + .5, x2: to, y2: y - .5, style: `stroke:var(--l${edge.to.group % 8})`});
      line.edge = edge;
      g.append(line);
    }
    let x = gutter;
    const keys = row.segments.map(one => one.key).join(), numbered = keys !== shownKeys && row.kind === 'found' || place === 0;
    for (const segment of row.segments) {
      const name = {class: 'name', 'font-size': labelFont};
      if (segment === row.segments[0]) Object.assign(name, {x: 0, y: y + cellHeight / 2 + labelFont + 2});
      else if (row.segments.length > 2) Object.assign(name, {x, y: y - 4});
      else Object.assign(name, {x: total - 2, y: y - 4, 'text-anchor': 'end'});
      g.append(element('text', name, shortName(segment.key)));
      const first = x;
      for (let index = segment.from; index <= segment.to; ++index, x += cellWidth) {
        const cell = segment.key + ' ' + index, writers = row.writers.get(cell), wrong = row.wrong.get(cell);
        const value = segment.values.get(index), traced = !!row.step.dispatch.trace;
        const kind = row.kind === 'found' ? '' : writers || !traced ? ' new' : ' old';
        const note = wrong ? '≠' + wrong.expected : row.notes.get(cell);
        const made = element('g', {class: 'cell' + kind + (wrong ? ' wrong' : ''), 'data-memory': nameOf(segment.key),
          'data-index': index, role: 'img', 'aria-label': cellText(row, segment.key, index)},
          element('rect', {x: x + .5, y: y + .5, width: cellWidth - 1, height: cellHeight - 1, rx: 2,
            style: writers && !wrong ? `fill:var(--g${writers[0].group % 8});stroke:var(--l${writers[0].group % 8})` : undefined}),
          element('text', {class: 'value', x: x + cellWidth / 2, y: note || numbered ? y + 1 + font * .95 : y + cellHeight / 2 + font * .36,
            'font-size': font}, shownText(value)),
          note ? element('text', {class: 'note', x: x + cellWidth / 2, y: y + 3 + font * 1.2 + noteFont * .95,
            'font-size': Math.min(noteFont, (cellWidth - 2) / (note.length * .61))}, note) : null);
        made.cell = {row, key: segment.key, index};
        g.append(made);
        if (adds && !dense && writers && writers.some(write => write.from.length > 1)) g.append(plusAt(x + cellWidth / 2, y - 6));
        if (numbered)
          g.append(element('text', {class: 'index', x: x + cellWidth / 2, y: y + cellHeight - 3, 'font-size': Math.min(noteFont, (cellWidth - 2) / (String(index).length * .61))},
            note ? '' : index));
      }
      x = first + widthOf(row, segment);
    }
    shownKeys = keys;
    g.append(element('text', {class: 'label', x: 0, y: y + cellHeight / 2, 'font-size': labelFont}, labelOf(row)));
    if (row.work && row.depth === 0) g.append(workAt(y + cellHeight / 2 + labelFont + 8, gutter - 10, row.work));
    row.nodes = [...g.querySelectorAll('.cell')];
    svg.append(g);
  });
  return svg;
}
