// ---- Rows of cells. A stack is some steps one below the other, of one work-group or (null) of all.

function buildStack(some, group) {
  const rows = [], rowOf = new Map(), state = new Map(), writtenIn = new Map();
  const mine = step => group === null ? step.accesses : step.accesses.filter(one => one.group === group);
  const extents = new Map();
  const reach = (key, index) => {
    const [from, to] = extents.get(key) || [index, index];
    extents.set(key, [Math.min(from, index), Math.max(to, index)]);
  };
  for (const step of some) {
    for (const one of mine(step)) reach(one.memory, one.index);
    for (const buffer of step.dispatch.buffers)
      if (group === null && buffer.values && extents.has('b:' + buffer.name) || !step.dispatch.trace && buffer.values)
        for (const index of [0, Math.max(0, buffer.values.length - 1)]) reach('b:' + buffer.name, index);
    for (const one of step.dispatch.shared.values())
      if (one.values && one.values.length <= 64) for (const index of [0, one.values.length - 1]) reach('s:' + one.name, index);
  }
  const snapshot = key => new Map(state.get(key) || []);
  const makeRow = (kind, step, keys, extra) => {
    const row = {kind, step, place: rows.length, segments: keys.map(key => ({key, values: snapshot(key),
      from: extents.get(key)[0], to: extents.get(key)[1]})), edges: [], writers: new Map(), wrong: new Map(),
      notes: new Map(), ...extra};
    rows.push(row);
    for (const key of keys) rowOf.set(key, row);
    return row;
  };
  const showing = key => {  // the row right above, if it has this memory as it is now
    const row = rowOf.get(key);
    if (!row || row !== rows[rows.length - 1]) return null;
    const shown = row.segments.find(one => one.key === key).values, now = state.get(key) || new Map();
    for (const [index, value] of now) if (index >= extents.get(key)[0] && index <= extents.get(key)[1] && shown.get(index) !== value) return null;
    return row;
  };
  let dispatch = null;
  for (const step of some) {
    if (step.dispatch !== dispatch) {
      dispatch = step.dispatch;
      for (const key of [...state.keys()]) if (isShared(key)) { state.delete(key); rowOf.delete(key); }
      for (const buffer of dispatch.buffers)
        if (buffer.before && !buffer.kept) state.set('b:' + buffer.name, new Map(buffer.before.map((value, i) => [i, value])));
    }
    const accesses = mine(step);
    if (!dispatch.trace) { untraced(step); continue; }
    const deepest = accesses.reduce((most, one) => Math.max(most, one.depth), 0);
    for (let depth = 0; depth <= deepest; ++depth) {
      const writes = accesses.filter(one => one.way !== 'read' && one.depth === depth);
      if (!writes.length) continue;
      const now = new Set();
      for (const write of writes) for (const source of write.from) if (source.phase === step.phase) now.add(source.memory);
      const order = keys => [...keys].sort((a, b) => (isShared(b) - isShared(a)) || keyOrder(dispatch, a) - keyOrder(dispatch, b));
      if ([...now].some(key => !showing(key))) makeRow('found', step, order(now));
      const above = rows[rows.length - 1];
      const before = new Map([...new Set(writes.map(one => one.memory))].map(key => [key, snapshot(key)]));
      for (const write of writes) {
        if (!state.has(write.memory)) state.set(write.memory, new Map());
        state.get(write.memory).set(write.index, write.value);
      }
      const row = makeRow('after', step, order(new Set(writes.map(one => one.memory))), {depth, work: workOf(step, group)});
      for (const write of writes) {
        const cell = write.memory + ' ' + write.index;
        row.writers.set(cell, [...(row.writers.get(cell) || []), write]);
        let kept = write.from.filter(one => one.phase < step.phase);
        for (const source of write.from)
          if (source.phase === step.phase && above) row.edges.push({above, from: source, to: write, kept: false});
        if (write.after && writtenIn.get(write.after) === above) {
          row.edges.push({above, from: write.after, to: write, kept: true});
          kept = kept.filter(read => !write.after.from.includes(read));
        }
        // Read in a phase that wrote nothing: the row above is what was read.
        const showsIt = source => above && above.kind === 'after' && above.step.phase < source.phase &&
          above.segments.some(one => one.key === source.memory);
        for (const source of kept) if (showsIt(source)) row.edges.push({above, from: source, to: write, kept: true});
        kept = kept.filter(source => !showsIt(source));
        if (write.way === 'atomic' && above && above.segments.some(one => one.key === write.memory))
          row.edges.push({above, from: write, to: write, kept: false});
        write.kept = kept;
        if (kept.length) {
          row.notes.set(cell, sumOf(write.from) === write.value ? '+' + sumOf(kept) : '+ …');
        }
      }
      for (const write of writes) writtenIn.set(write, row);
    }
    // A dispatch that has found nothing to change, as a step of a sort may: what it has left is what it found.
    if (step.phase === dispatch.phaseCount - 1 && !rows.some(row => row.step.dispatch === dispatch && row.kind === 'after')) {
      const read = [...new Set(accesses.filter(one => !isShared(one.memory)).map(one => one.memory))];
      if (read.some(key => !showing(key))) makeRow('found', step, read);
      if (read.length) makeRow('after', step, read, {depth: 0, work: workOf(step, group)});
    }
    const mineRows = rows.filter(row => row.step === step && row.kind === 'after');
    for (const wrong of dispatch.trace.wrong)
      if (wrong.phase === step.phase && (group === null || wrong.group === group))
        markWrong(mineRows, 's:' + wrong.name, wrong);
    if (step.phase === dispatch.phaseCount - 1) markDispatch(step);
  }
  function markWrong(among, key, wrong) {
    const row = [...among].reverse().find(one => one.segments.some(segment => segment.key === key &&
      wrong.index >= segment.from && wrong.index <= segment.to));
    if (row) row.wrong.set(key + ' ' + wrong.index, wrong);
    return !!row;
  }
  function markDispatch(step) {
    const among = rows.filter(row => row.step.dispatch === step.dispatch && row.kind === 'after');
    for (const wrong of step.dispatch.wrong) markWrong(among, 'b:' + wrong.buffer, wrong);
  }
  function untraced(step) {
    const keys = kind => step.dispatch.buffers.filter(one => one.values && one[kind]).map(one => 'b:' + one.name);
    const found = [...new Set(keys('reads'))], written = [...new Set(keys('writes'))];
    if (found.some(key => !showing(key))) makeRow('found', step, found);
    for (const buffer of step.dispatch.buffers)
      if (buffer.writes && buffer.values) state.set('b:' + buffer.name, new Map(buffer.values.map((value, i) => [i, value])));
    if (written.length) makeRow('after', step, written, {depth: 0});
    markDispatch(step);
  }
  return rows;
}

function keyOrder(dispatch, key) {
  const buffer = dispatch.buffers.find(one => 'b:' + one.name === key);
  return buffer ? buffer.binding : -1;
}
