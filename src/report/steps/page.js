// ---- The page

const tag = test.label;
byId('title').textContent = `${tag}, step by step`;
document.title = `${test.id}, n = ${run.n}: step by step`;
byId('about').textContent = `${test.id}, n = ${run.n}, input ${run.pattern}` + (run.pattern === 'random' ? ` (seed ${run.seed})` : '') +
  `, work-groups of ${run.workgroup} with ${run.elements} elements for each invocation; on ${report.context.device.name}`;
if (test.id.startsWith('reduce/')) byId('about').textContent += '. A sum is a tree, as in Figure 4 of the assignment';
{
  const verdict = byId('verdict'), passed = test.status === 'passed';
  verdict.append(element('p', {class: passed ? 'fine' : 'wrong'}, passed ? 'TEST PASSED' : test.status === 'failed' ? 'TEST FAILED' : test.status));
  for (const line of passed ? [] : (test.explanation || []).slice(0, 8)) verdict.append(element('p', {class: 'quiet'}, line));
  if ((test.lint || []).some(one => ['missing-barrier', 'weak-barrier', 'global-race', 'shared-race'].includes(one.rule)))
    verdict.append(element('p', {class: 'wrong'}, 'Such a hazard is what Figure 6 of the assignment shows.'));
}
byId('foot').textContent = 'Figures 4 to 12 are those of the assignment. Values of buffers are the device’s; who read and wrote what, and ' +
  'shared memory, are from the same kernels walked on the host, and so is what a buffer keeps from run to run. Sums are modulo 2^32. Made by a2 steps --html.';

// Dispatches without shared memory stand in one picture, one below the other; the others are drawn by work-group.
const sections = [];
for (const step of steps) {
  const byGroup = usesShared(step.dispatch);
  const last = sections[sections.length - 1];
  if (last && (last.byGroup ? last.steps[0].dispatch === step.dispatch : !byGroup)) last.steps.push(step);
  else sections.push({byGroup, steps: [step]});
}
for (const section of sections) {
  const only = section.steps.every(step => step.dispatch === section.steps[0].dispatch);
  const groups = groupsOf(section.steps[0].dispatch);
  // One dispatch whose work-groups keep to themselves, as those that add offsets.
  if (!section.byGroup && only && groups.length > 1 && sections.length > 1) {
    const cells = groups.reduce((sum, group) => sum + cellsOf(measure(buildStack(section.steps, group))), 0);
    section.byGroup = cells <= 2 * cellsOf(measure(buildStack(section.steps, null)));
  }
  section.stacks = (section.byGroup ? groups : [null]).map(group => ({group, rows: buildStack(section.steps, group)}))
    .filter(stack => stack.rows.length);
  section.size = section.stacks.map(stack => measure(stack.rows)).reduce(largest, measure([]));
  const first = section.steps[0].dispatch, final = section.steps[section.steps.length - 1].dispatch;
  const title = first === final ? `${dispatchText(first)}: ${first.what || first.verdict}` : `Dispatches ${first.index} to ${final.index}`;
  section.node = element('section', {class: 'section', 'aria-label': title},
    element('h2', {}, title + figureText(first.figure === final.figure ? first.figure : null)));
  const captions = element('ol', {class: 'captions'});
  for (const step of section.steps.length > 1 ? section.steps : []) {
    const button = element('button', {type: 'button', 'data-step': step.number}, captionOf(step));
    button.addEventListener('click', () => show(step.number, true));
    captions.append(element('li', {}, button));
  }
  section.panels = element('div', {class: 'panels'});
  section.node.append(captions, section.panels);
  for (const remark of new Set(section.steps.map(step => remarkOn(step.dispatch)).filter(Boolean)))
    section.node.append(element('p', {class: 'quiet'}, remark));
  byId('sections').append(section.node);
}
if (!steps.length) byId('sections').append(element('p', {}, 'There is no dispatch to show.'));

function remarkOn(dispatch) {
  const remark = dispatch.phases_remark && !dispatch.phases_remark.includes('no shared memory') ? `Dispatch ${dispatch.index}: ${dispatch.phases_remark}. ` : '';
  if (!dispatch.trace) return remark + `Dispatch ${dispatch.index}: who reads and writes what is not known.`;
  return remark + (dispatch.trace.cut ? `Dispatch ${dispatch.index}: only its first 16384 accesses are drawn.` : '');
}

function layOut(width) {
  for (const section of sections) {
    section.panels.replaceChildren();
    section.panels.classList.toggle('several', section.stacks.length > 1);
    const least = Math.max(leastWidth(section.size), 250);
    const beside = Math.max(1, Math.min(section.stacks.length, Math.floor((width + 24) / (least + 24))));
    const each = (width - 24 * (beside - 1)) / beside;
    for (const {group, rows} of section.stacks) {
      const name = group === null ? 'all work-groups' : `work-group ${group}`;
      const panel = element('div', {class: 'panel'});
      if (group !== null)
        panel.append(element('h3', {}, element('span', {class: 'chip', style: `background:var(--g${group % 8});border-color:var(--l${group % 8})`}), name));
      const drawn = draw(rows, section.size, each, name);
      const scroll = element('div', {class: 'scroll'});
      if (drawn.getAttribute('width') > each + 1) {
        scroll.tabIndex = 0;
        scroll.setAttribute('role', 'region');
        scroll.setAttribute('aria-label', `${name}, to be scrolled`);
      }
      scroll.append(drawn);
      panel.append(scroll);
      section.panels.append(panel);
      if (scroll.tabIndex === 0) scroll.before(mapOf(rows, drawn, scroll));
    }
  }
}

let at = 0;
function firstWrong() {
  const bad = steps.find(step => step.dispatch.trace && step.dispatch.trace.wrong.some(one => one.phase === step.phase));
  return bad || steps.filter(step => step.dispatch.verdict === 'wrong' && step.phase === step.dispatch.phaseCount - 1)[0];
}

let shownSection = null;
// Between the bar and the words at the bottom, with the row that it came from.
function bringIntoView(row) {
  if (!row) return;
  const its = row.getBoundingClientRect(), top = byId('bar').getBoundingClientRect().bottom + 60;
  const bottom = innerHeight - byId('detail').offsetHeight - 16;
  if (its.bottom > bottom) scrollBy(0, Math.min(its.bottom - bottom, its.top - top));
  else if (its.top < top) scrollBy(0, its.top - top);
}

// moved: by the reader, so that what is shown comes into view.
function show(number, moved) {
  if (!steps.length) return;
  at = Math.max(0, Math.min(steps.length - 1, number));
  const step = steps[at], parts = stepParts(step);
  const slider = byId('slider');
  slider.value = at;
  slider.setAttribute('aria-valuetext', `${parts.head}: ${parts.what}`);
  byId('now').replaceChildren(element('b', {}, parts.head), `: ${parts.what}${figureText(parts.figure)}. `,
    element('span', {class: parts.verdict === 'wrong' ? 'wrong' : parts.verdict === 'ok' ? 'fine' : 'quiet'}, parts.verdict),
    step.phase === 0 && step.dispatch.index > 0 && !step.dispatch.barrier_before.length ? element('span', {class: 'wrong'}, ' No barrier before it.') : '');
  const section = sections.find(one => one.steps.includes(step));
  if (moved && section !== shownSection) section.node.scrollIntoView({block: 'start'});
  shownSection = section;
  for (const row of document.querySelectorAll('.row')) {
    const its = Number(row.dataset.step);
    row.classList.toggle('later', its > at);
    row.classList.toggle('now', its === at);
    row.querySelector('.label').classList.toggle('current', its === at && row.dataset.kind === 'after');
    for (const cell of row.querySelectorAll('.cell.new, .cell.wrong'))
      if (its === at) cell.setAttribute('tabindex', '0');
      else cell.removeAttribute('tabindex');
  }
  for (const button of document.querySelectorAll('.captions button'))
    if (Number(button.dataset.step) === at) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
  byId('back').disabled = at === 0;
  byId('on').disabled = at === steps.length - 1;
  if (moved) bringIntoView(document.querySelector('.row.now[data-kind=after]') || document.querySelector('.row.now'));
  showGroups(step);
  showKernel(step);
  cover();
  pick(null);
  if (moved) tellTheOther();
}

function showLegend() {
  const legend = byId('legend');
  legend.replaceChildren();
  const add = (mark, text) => legend.append(element('li', {}, mark, text));
  const groups = Math.max(0, ...dispatches.map(dispatch => groupsOf(dispatch).length));
  for (let group = 0; group < Math.min(8, groups); ++group)
    add(element('span', {class: 'chip', style: `background:var(--g${group});border-color:var(--l${group})`}), `work-group ${group}` +
      (groups > group + 8 ? `, ${group + 8}, …` : ''));
  add('', 'bold: written by the step');
  const rows = sections.flatMap(section => section.stacks).flatMap(stack => stack.rows);
  const some = is => rows.some(row => row.edges.some(is));
  const sample = look => element('svg', {width: 26, height: 10, 'aria-hidden': 'true'},
    element('line', {class: 'edge' + look, x1: 0, y1: 5, x2: 26, y2: 5}));
  if (some(edge => !edge.kept && isCopy(edge.to))) add(sample(' copy'), ' a copy');
  if (rows.some(addsUp)) {
    const node = element('svg', {width: 14, height: 14, 'aria-hidden': 'true'}, plusAt(7, 7));
    add(node, ' a sum');
  }
  if (some(edge => edge.kept)) add(sample(' kept'), ' kept in a register');
  if (!byId('kernel').hidden) add('', '3/8 at a line: 3 of 8 invocations read or write there');
  if (rows.some(row => row.work)) add(element('svg', {width: 26, height: 10, 'aria-hidden': 'true'},
    element('rect', {class: 'work', x: 1, y: 1, width: 8, height: 8}), element('rect', {class: 'work idle', x: 13, y: 1, width: 8, height: 8})),
    ' an invocation at work, and an idle one');
  if (rows.some(row => row.notes.size)) add('', '+5: added from a register');
  if (rows.some(row => row.wrong.size)) add('', 'red, ≠5: wrong, should be 5');
  if (rows.some(row => row.depth > 0)) add('', 'then: the same phase, after that');
}
