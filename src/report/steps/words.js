// ---- Words

const whoText = access => `invocation ${access.invocation} of work-group ${access.group}`;

function requestText(access) {
  const all = access.dispatch.accesses.filter(one => one.group === access.group && one.request === access.request && one.request > 0);
  if (!all.length) return '';
  const together = new Set(all.map(one => one.invocation)).size;
  if (isShared(access.memory)) {
    const bank = bankOf(access), turns = turnsOf(all);
    return `; bank ${bank}, asked for by ${many(together, 'invocation')} at once, ${many(turns, 'turn')} of the banks`;
  }
  return `; transaction of elements ${access.index - access.index % 32} to ${access.index - access.index % 32 + 31}, one of ` +
    `${transactionsOf(all)} for the ${many(together, 'invocation')} that ask at once`;
}
function bankOf(access) { return ((access.dispatch.shared.get(nameOf(access.memory)) || {bank: 0}).bank + access.index) % 32; }
function transactionsOf(accesses) { return new Set(accesses.map(one => one.memory + ' ' + Math.floor(one.index / 32))).size; }
function turnsOf(accesses) {
  const banks = new Map();
  for (const one of accesses) {
    const bank = bankOf(one);
    if (!banks.has(bank)) banks.set(bank, new Set());
    banks.get(bank).add(one.memory + ' ' + one.index);
  }
  return Math.max(0, ...[...banks.values()].map(one => one.size));
}
const lineText = line => line && line.line ? `; ${line.file}:${line.line}: “${line.text}”` : '';
const placeText = (key, index) => `${nameOf(key)}[${index}]`;

function cellText(row, key, index) {
  const segment = row.segments.find(one => one.key === key);
  const value = segment.values.get(index), cell = key + ' ' + index;
  let text = placeText(key, index) + (value === null || value === undefined ? ' is not set' : ` = ${value}`);
  const wrong = row.wrong.get(cell);
  if (wrong) text = `${placeText(key, index)} is wrong: should be ${wrong.expected}, ` +
    (wrong.got === null ? 'was never written' : `is ${wrong.got}`);
  const writers = row.writers.get(cell) || [];
  if (row.kind === 'found') {
    const readers = row.step.accesses.filter(one => one.memory === key && one.index === index && one.way !== 'write');
    if (readers.length) text += `, read by ${readers.slice(0, 2).map(whoText).join(' and ')}` +
      (readers.length > 2 ? ` and ${readers.length - 2} more` : '') + lineText(readers[0].line) + requestText(readers[0]);
    return text;
  }
  for (const write of writers.slice(-2)) {
    const sources = [...new Set(write.from.filter(one => !(write.kept || []).includes(one)).map(one => `${placeText(one.memory, one.index)} = ${one.value}`))];
    text += `, written by ${whoText(write)}`;
    if (sources.length) text += `, from ${sources.slice(0, 8).join(', ')}` + (sources.length > 8 ? ` and ${sources.length - 8} more` : '');
    if (write.kept && write.kept.length)
      text += `, and in a register since before: ${write.kept.slice(0, 4).map(one => placeText(one.memory, one.index)).join(', ')}` +
        (write.kept.length > 4 ? ` and ${write.kept.length - 4} more` : '');
    text += lineText(write.line) + requestText(write);
  }
  if (!writers.length && row.step.dispatch.trace) text += ', as it was';
  return text;
}

function captionOf(step) {
  const parts = stepParts(step);
  const head = step.dispatch.phaseCount > 1 ? `phase ${step.phase}` : `dispatch ${step.dispatch.index}`;
  return `${head}: ${step.dispatch.phaseCount > 1 ? '' : step.dispatch.label + ': '}${parts.what}` +
    (parts.figure ? ` (Figure ${parts.figure})` : '') + (parts.verdict === 'wrong' ? ': wrong' : '');
}
function dispatchText(dispatch) {
  const groups = dispatch.groups.reduce((a, b) => a * b, 1);
  return `Dispatch ${dispatch.index}: ${dispatch.label}, ${many(groups, 'work-group')}`;
}
function phaseText(step) {
  const about = step.about;
  const writes = step.accesses.some(one => one.way !== 'read');
  const stores = step.accesses.some(one => one.way !== 'read' && !isShared(one.memory));
  let text = about && about.what ? about.what : writes ? 'writes' : 'only reads';
  if (stores && !(about && about.what && about.what !== 'nothing changes')) text = 'results stored';
  else if (stores) text += '; results stored';
  return text;
}
function stepParts(step) {
  const dispatch = step.dispatch, several = dispatch.phaseCount > 1;
  const head = dispatchText(dispatch) + (several ? `; phase ${step.phase} of ${dispatch.phaseCount - 1}` : '');
  const verdict = several && step.about ? step.about.verdict : dispatch.verdict;
  const wrong = several && dispatch.trace ? dispatch.trace.wrong.filter(one => one.phase === step.phase).length : dispatch.wrong.length;
  const what = several ? phaseText(step) : dispatch.what || 'no usual step: only the result is judged';
  return {head, what, figure: several ? step.about && step.about.figure : dispatch.figure, verdict: wrong ? 'wrong' : verdict};
}
