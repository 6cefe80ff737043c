// ---- Pointer, focus, keys

function pick(node) {
  for (const one of document.querySelectorAll('.picked')) one.classList.remove('picked');
  const detail = byId('detail');
  if (!node) {
    detail.textContent = 'Point at a cell, or go to one with the Tab key, to see who wrote it and from what. Arrow keys: left and right by step, up and down by dispatch.';
    return;
  }
  const {row, key, index} = node.cell;
  node.classList.add('picked');
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
byId('slider').addEventListener('input', event => show(Number(event.target.value), true));
byId('back').addEventListener('click', () => show(at - 1, true));
byId('on').addEventListener('click', () => show(at + 1, true));
byId('group').addEventListener('change', showMemory);
document.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === 'SELECT') return;
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
  show(to(), true);
});

byId('slider').max = Math.max(0, steps.length - 1);
const roomFor = () => document.documentElement.clientWidth - 32;
let laidOut = 0;
function layOutAgain() {
  if (roomFor() === laidOut) return;
  laidOut = roomFor();
  layOut(laidOut);
  show(at);
}
at = test.status === 'passed' ? steps.length - 1 : (firstWrong() || {number: steps.length - 1}).number;
layOutAgain();
addEventListener('resize', layOutAgain);
showLegend();
byId('memory').hidden = !steps.length;
