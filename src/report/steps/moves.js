// ---- What a write makes of the values that it was made of: a copy, or their sum

// Modulo 2^32.
const sumOf = accesses => accesses.reduce((all, one) => (all + one.value) % 4294967296, 0);

const isCopy = write => write.from.length === 1 && write.from[0].value === write.value;

// A row adds if each of its writes with several sources is their sum: of one alone that may be by chance.
function addsUp(row) {
  const several = [...row.writers.values()].flat().filter(write => write.from.length > 1);
  return several.length > 0 && several.every(write => sumOf(write.from) === write.value);
}

const whoOf = access => `${access.group} ${access.invocation}`;

// Of the invocations that the row's step has: those that read or write in it.
function workOf(step, group) {
  const mine = group === null ? step.accesses : step.accesses.filter(one => one.group === group);
  const groups = group === null ? step.dispatch.groups.reduce((a, b) => a * b, 1) : 1;
  return {active: new Set(mine.map(whoOf)), of: groups * run.workgroup, group};
}
