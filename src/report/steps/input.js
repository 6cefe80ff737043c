// ---- Pointer, focus, keys

function pick(node) {
  for (const one of document.querySelectorAll('.picked')) one.classList.remove('picked');
  const detail = byId('detail');
  if (!node) {
    markLines([]);
    detail.textContent = 'Point at a cell, or go to one with the Tab key, to see which invocation wrote it, and from what. Arrow keys: left and right by step, up and down by dispatch; the space bar plays.';
    return;
  }
  const {row, key, index} = node.cell;
  node.classList.add('picked');
  const writers = row.writers.get(key + ' ' + index) || [];
  markLines(row.kind === 'found' ? row.step.accesses.filter(one => one.memory === key && one.index === index) : writers);
  if (node.classList.contains('covered')) {
    detail.textContent = `${placeText(key, index)} is covered: what will it be` +
      (writers.length ? `, written by ${whoText(writers[0])}${lineText(writers[0].line)}?` : '?');
    return;
  }
  detail.textContent = cellText(row, key, index);
  for (const line of node.ownerSVGElement.querySelectorAll('.edge')) {
    const {edge} = line;
    const into = row.kind === 'after' && row.edges.includes(edge) && edge.to.memory === key && edge.to.index === index;
    const outOf = edge.above === row && edge.from.memory === key && edge.from.index === index;
    if (into || outOf) line.classList.add('picked');
  }
}
const cellAt = event => event.target.closest ? event.target.closest('.cell') : null;
byId('sections').addEventListener('pointerover', event => { if (cellAt(event)) pick(cellAt(event)); });
byId('sections').addEventListener('focusin', event => { if (cellAt(event)) pick(cellAt(event)); });
// By the reader's own hand: what plays stops.
function go(number) {
  pause();
  show(number, true);
}
byId('slider').addEventListener('input', event => go(Number(event.target.value)));
byId('back').addEventListener('click', () => go(at - 1));
byId('on').addEventListener('click', () => {
  go(at + 1);
  travel(usualStep * .5 * Number(byId('speed').value));
});
byId('play').addEventListener('click', () => playing ? pause() : play());
byId('predict').addEventListener('click', togglePredict);
byId('code').addEventListener('click', toggleKernel);
byId('guess').addEventListener('submit', event => {
  event.preventDefault();
  guess();
});
byId('reveal').addEventListener('click', () => {
  coveredCells().forEach(uncover);
  ask(null);
});
byId('sections').addEventListener('click', event => {
  const node = cellAt(event);
  if (!node || !node.classList.contains('covered')) return;
  ask(node);
  byId('guessed').focus();
});
byId('group').addEventListener('change', showMemory);
document.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === 'SELECT' || event.target.id === 'guessed') return;
  if (event.key === ' ' && event.target.tagName !== 'BUTTON' && steps.length > 1) {
    event.preventDefault();
    if (playing) pause();
    else play();
    return;
  }
  if (event.target.closest('.scroll') && event.key.startsWith('Arrow') && !event.target.closest('.cell')) return;
  const other = direction => {
    const index = steps[at].dispatch.index + direction;
    const step = steps.find(one => one.dispatch.index === index);
    return step ? step.number : direction < 0 ? 0 : steps.length - 1;
  };
  const to = {ArrowLeft: () => at - 1, ArrowRight: () => at + 1, ArrowUp: () => other(-1), ArrowDown: () => other(1),
    Home: () => 0, End: () => steps.length - 1}[event.key];
  if (!to || !steps.length) return;
  event.preventDefault();
  go(to());
});

byId('slider').max = Math.max(0, steps.length - 1);
const roomFor = () => byId('sections').clientWidth;
let laidOut = 0;
function layOutAgain() {
  if (roomFor() === laidOut) return;
  laidOut = roomFor();
  layOut(laidOut);
  show(at);
}
if (!Object.keys(kernels).length) byId('kernel').hidden = byId('code').hidden = true;
byId('picture').classList.toggle('both', !byId('kernel').hidden);
byId('play').disabled = steps.length < 2;
at = test.status === 'passed' ? 0 : (firstWrong() || {number: steps.length - 1}).number;
layOutAgain();
addEventListener('resize', layOutAgain);
new ResizeObserver(() => document.documentElement.style.setProperty('--bar', `${byId('bar').offsetHeight + 8}px`)).observe(byId('bar'));
showLegend();
byId('memory').hidden = !steps.length;
