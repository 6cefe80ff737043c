// ---- The run: steps, which are dispatches or the phases between the barrier() calls of one.

const steps = [];
for (const dispatch of dispatches) {
  dispatch.bufferOf = new Map(dispatch.buffers.map(buffer => [buffer.binding, buffer]));
  const columns = dispatch.trace ? dispatch.trace.accesses : null;
  dispatch.accesses = columns ? columns.index.map((index, i) => ({
    dispatch, index, group: columns.group[i], phase: columns.phase[i], invocation: columns.invocation[i],
    line: dispatch.trace.lines[columns.line[i]], memory: memoryKey(dispatch, columns.in[i]), way: columns.way[i],
    value: columns.value[i], request: columns.request[i], from: columns.from[i], depth: columns.level[i], after: columns.after[i]})) : [];
  for (const access of dispatch.accesses) {
    access.from = access.from.map(i => dispatch.accesses[i]);
    access.after = access.after === null ? null : dispatch.accesses[access.after];
  }
  dispatch.shared = new Map((dispatch.phases && dispatch.phases[0] ? dispatch.phases[0].shared : [])
    .map(one => [one.name, one]));
  const phases = 1 + dispatch.accesses.reduce((most, one) => Math.max(most, one.phase), 0);
  dispatch.phaseCount = phases;
  for (let phase = 0; phase < phases; ++phase) {
    const accesses = dispatch.accesses.filter(one => one.phase === phase);
    steps.push({number: steps.length, dispatch, phase, accesses, about: (dispatch.phases || [])[phase]});
  }
}

function memoryKey(dispatch, where) {
  return typeof where === 'string' ? 's:' + where : 'b:' + dispatch.bufferOf.get(where).name;
}
const nameOf = key => key.slice(2);
const isShared = key => key[0] === 's';

const usesShared = dispatch => dispatch.accesses.some(one => isShared(one.memory));
const groupsOf = dispatch => [...new Set(dispatch.accesses.map(one => one.group))].sort((a, b) => a - b);
