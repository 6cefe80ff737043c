// ---- Drawing

const shownText = value => value === null || value === undefined ? '·' : String(value);

function measure(rows) {
  let cells = 0, digits = 1, segments = 1, label = 6, names = 0;
  for (const row of rows) {
    cells = Math.max(cells, row.segments.reduce((sum, one) => sum + one.to - one.from + 1, 0));
    segments = Math.max(segments, row.segments.length);
    names = Math.max(names, namesWidth(row));
    label = Math.max(label, labelOf(row).length, Math.min(longestName, nameOf(row.segments[0].key).length));
    for (const one of row.segments)
      for (let i = one.from; i <= one.to; ++i) digits = Math.max(digits, shownText(one.values.get(i)).length);
    for (const wrong of row.wrong.values()) digits = Math.max(digits, String(wrong.expected).length + 1);
  }
  return {cells, digits: Math.min(digits, 10), segments, label, names};
}
const largest = (a, b) => Object.fromEntries(Object.keys(a).map(key => [key, Math.max(a[key], b[key])]));

const segmentGap = 14, longestName = 20;
const shortName = key => nameOf(key).length > longestName ? nameOf(key).slice(0, longestName - 1) + '…' : nameOf(key);
// Of two parts the second one's name ends at the right edge; more need a place of their own each.
const namesWidth = row => row.segments.length < 3 ? 0 : row.segments.slice(1).reduce((sum, one) => sum + shortName(one.key).length * 6.1, 0);
const gutterOf = size => Math.ceil(size.label * 6.1 + 8);
const fixedWidth = size => gutterOf(size) + size.names + segmentGap * (size.segments - 1) + 4;
const leastWidth = size => fixedWidth(size) + size.cells * (size.digits * 5.1 + 3);
function labelOf(row) {
  if (row.kind === 'found') return 'found';
  if (row.depth > 0) return 'then';
  return row.step.dispatch.phaseCount > 1 ? `phase ${row.step.phase}` : `dispatch ${row.step.dispatch.index}`;
}

function draw(rows, size, width, description) {
  const gutter = gutterOf(size), room = (width - fixedWidth(size)) / size.cells;
  const least = size.digits * 5.1 + 3, cellWidth = Math.max(least, Math.min(room, 60));
  const font = Math.max(8.5, Math.min(16, (cellWidth - 3) / (size.digits * .605)));
  const noteFont = Math.max(7.5, font * .72);
  const cellHeight = Math.round(font * 1.25 + noteFont * 1.2 + 5), gap = Math.round(Math.min(44, 22 + font * 1.4));
  const top = size.segments > 1 ? 16 : 2;
  const total = Math.ceil(fixedWidth(size) + size.cells * cellWidth);
  const widthOf = (row, segment) => Math.max((segment.to - segment.from + 1) * cellWidth,
    row.segments.length < 3 || segment === row.segments[0] ? 0 : shortName(segment.key).length * 6.1) + segmentGap;
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
  const dense = rows.reduce((most, row) => Math.max(most, row.edges.length), 0) > 4 * size.cells;
  let shownKeys = '';
  rows.forEach((row, place) => {
    const y = row.y = top + place * (cellHeight + gap);
    const g = element('g', {class: 'row', 'data-step': row.step.number, 'data-kind': row.kind});
    for (const edge of row.edges) {
      const from = center(edge.above, edge.from.memory, edge.from.index), to = center(row, edge.to.memory, edge.to.index);
      if (from === null || to === null) continue;
      const line = element('line', {class: 'edge' + (edge.kept ? ' kept' : '') + (dense ? ' dense' : ''), x1: from,
        y1: edge.above.y + cellHeight + .5, x2: to, y2: y - .5, style: `stroke:var(--l${edge.to.group % 8})`});
      line.edge = edge;
      g.append(line);
    }
    let x = gutter;
    const keys = row.segments.map(one => one.key).join(), numbered = keys !== shownKeys && row.kind === 'found' || place === 0;
    for (const segment of row.segments) {
      const name = {class: 'name', 'font-size': 10};
      if (segment === row.segments[0]) Object.assign(name, {x: 0, y: y + cellHeight / 2 + 12});
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
        if (numbered)
          g.append(element('text', {class: 'index', x: x + cellWidth / 2, y: y + cellHeight - 3, 'font-size': Math.min(8, noteFont)},
            note ? '' : index));
      }
      x = first + widthOf(row, segment);
    }
    shownKeys = keys;
    g.append(element('text', {class: 'label', x: 0, y: y + cellHeight / 2, 'font-size': 10}, labelOf(row)));
    svg.append(g);
  });
  return svg;
}
