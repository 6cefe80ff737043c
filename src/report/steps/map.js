// ---- A map of a picture that is wider than the window: where its numbers are new or wrong, and which part is shown

const mapLine = 5;  // pixels for each row

function mapOf(rows, picture, scroll) {
  const whole = Number(picture.getAttribute('width')), width = scroll.clientWidth || 1, scale = width / whole;
  const map = element('svg', {class: 'map', width, height: rows.length * mapLine + 2, 'aria-hidden': 'true'});
  rows.forEach((row, place) => {
    for (const cell of row.nodes) {
      const frame = cell.querySelector('rect'), wrong = cell.classList.contains('wrong');
      if (!wrong && !cell.classList.contains('new')) continue;
      const group = (row.writers.get(cell.cell.key + ' ' + cell.cell.index) || [{group: 0}])[0].group;
      map.append(element('rect', {class: wrong ? 'wrong' : null, x: frame.getAttribute('x') * scale, y: place * mapLine + 1,
        width: Math.max(1, frame.getAttribute('width') * scale), height: mapLine - 1, style: wrong ? null : `fill:var(--l${group % 8})`}));
    }
  });
  const seen = element('rect', {class: 'seen', y: .5, height: rows.length * mapLine + 1});
  map.append(seen);
  const follow = () => {
    seen.setAttribute('x', scroll.scrollLeft * scale);
    seen.setAttribute('width', scroll.clientWidth * scale);
  };
  const go = event => {
    if (event.type === 'pointermove' && !event.buttons) return;
    const left = event.clientX - map.getBoundingClientRect().left;
    scroll.scrollLeft = left / scale - scroll.clientWidth / 2;
  };
  scroll.addEventListener('scroll', follow);
  map.addEventListener('pointerdown', go);
  map.addEventListener('pointermove', go);
  follow();
  return map;
}
