// ---- The kernel's text beside the picture, with the lines of this step lit

const kernels = JSON.parse(byId('kernels').textContent);
let kernelOf = null;  // the dispatch whose kernel is shown

// Its own file first, then those that it includes, as far as one of its lines reads or writes.
function filesOf(dispatch) {
  const own = dispatch.kernel + '.comp', all = new Set([own]);
  for (const line of dispatch.trace ? dispatch.trace.lines : []) if (line) all.add(line.file);
  return [...all].filter(file => kernels[file] !== undefined);
}

function showKernel(step) {
  const box = byId('kernel'), files = filesOf(step.dispatch);
  byId('code').disabled = !files.length;
  if (box.hidden) return;
  if (!files.length) {
    kernelOf = null;
    box.replaceChildren(element('h2', {}, 'The text of this kernel is not known'));
    return;
  }
  if (!kernelOf || kernelOf.kernel !== step.dispatch.kernel) {
    box.replaceChildren();
    for (const file of files) {
      const lines = element('ol', {'data-file': file});
      kernels[file].replace(/\n$/, '').split('\n').forEach((text, i) => lines.append(element('li', {'data-line': i + 1}, text)));
      box.append(element('h2', {}, file), lines);
    }
  }
  kernelOf = step.dispatch;
  const by = new Map();
  for (const one of step.accesses) {
    const key = one.line.file + ' ' + one.line.line;
    if (!by.has(key)) by.set(key, new Set());
    by.get(key).add(whoOf(one));
  }
  const all = workOf(step, null).of;
  let first = null;
  for (const list of box.querySelectorAll('ol'))
    for (const line of list.children) {
      const who = by.get(`${list.dataset.file} ${line.dataset.line}`);
      line.classList.toggle('lit', !!who);
      line.classList.remove('of');
      if (who) {
        line.dataset.by = `${who.size}/${all}`;
        first = first || line;
      }
    }
  if (first) box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}

// The lines that have written a cell, or read it where it was found.
function markLines(accesses) {
  for (const line of byId('kernel').querySelectorAll('.of')) line.classList.remove('of');
  for (const one of accesses) {
    if (!kernelOf || one.dispatch.kernel !== kernelOf.kernel) continue;
    const list = [...byId('kernel').querySelectorAll('ol')].find(each => each.dataset.file === one.line.file);
    const line = list && list.children[one.line.line - 1];
    if (line) line.classList.add('of');
  }
}

function toggleKernel() {
  const box = byId('kernel');
  box.hidden = !box.hidden;
  byId('code').setAttribute('aria-pressed', String(!box.hidden));
  byId('picture').classList.toggle('both', !box.hidden);
  kernelOf = null;
  laidOut = 0;
  layOutAgain();
}
