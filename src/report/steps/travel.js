// ---- Play: step by step, with the values on their way along the lines

const usualStep = 1400, mostTravellers = 400;  // milliseconds; beyond that many they would only be a cloud
const quietly = matchMedia('(prefers-reduced-motion: reduce)');
let playing = null;     // the timer of the next step
let onTheWay = [];      // animations

function stay() {
  for (const one of onTheWay) one.cancel();
  onTheWay = [];
  for (const node of document.querySelectorAll('.traveller')) node.remove();
  for (const node of document.querySelectorAll('.arriving')) node.classList.remove('arriving');
}

function isSeen(node) {
  const its = node.getBoundingClientRect(), frame = node.closest('.scroll').getBoundingClientRect();
  return its.bottom > 0 && its.top < innerHeight && its.right > frame.left && its.left < frame.right;
}

// The values that the step's writes are made of go from where they were found to where they are written; row after row,
// where a phase writes more than once.
function travel(duration) {
  stay();
  if (quietly.matches) return;
  const rows = [...document.querySelectorAll('.row.now[data-kind=after]')];
  const lines = rows.map(row => [...row.querySelectorAll('line.edge')].filter(line => line.edge.from !== line.edge.to && isSeen(line)));
  if (lines.reduce((sum, some) => sum + some.length, 0) > mostTravellers) return;
  const turns = rows.map((row, i) => rows.slice(0, i).filter(one => one.parentNode === row.parentNode).length);
  const each = duration / (1 + Math.max(0, ...turns));
  rows.forEach((row, i) => {
    if (!lines[i].length) return;
    const arriving = [...row.querySelectorAll('.cell.new, .cell.wrong')].filter(isSeen);
    arriving.forEach(node => node.classList.add('arriving'));
    const size = row.querySelector('.value').getAttribute('font-size');
    let last = null;
    for (const line of lines[i]) {
      const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map(name => Number(line.getAttribute(name)));
      const node = element('text', {class: 'traveller', x: x1, y: y1, 'font-size': size}, shownText(line.edge.from.value));
      row.parentNode.append(node);
      last = node.animate([{transform: 'none', opacity: 0}, {transform: 'none', opacity: 1, offset: .05},
        {transform: `translate(${x2 - x1}px, ${y2 - y1}px)`, opacity: 1}],
        {duration: each, delay: turns[i] * each, easing: 'ease-in-out', fill: 'backwards'});
      last.finished.then(() => node.remove(), () => {});
      onTheWay.push(last);
    }
    last.finished.then(() => arriving.forEach(node => node.classList.remove('arriving')), () => {});
  });
}

function pause() {
  clearTimeout(playing);
  playing = null;
  stay();
  byId('play').textContent = 'Play';
  byId('play').setAttribute('aria-pressed', 'false');
}

function play() {
  if (at === steps.length - 1) show(0, true);
  byId('play').textContent = 'Pause';
  byId('play').setAttribute('aria-pressed', 'true');
  const next = () => {
    const duration = usualStep * Number(byId('speed').value);
    show(at + 1, true);
    travel(duration * .75);
    playing = at < steps.length - 1 ? setTimeout(next, duration) : setTimeout(pause, duration);
  };
  playing = setTimeout(next, 300);
}
