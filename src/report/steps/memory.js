// ---- What the step asks of memory

function showGroups(step) {
  const groups = groupsOf(step.dispatch), select = byId('group'), before = Number(select.value);
  byId('memory').hidden = !groups.length;
  select.replaceChildren(...groups.map(group => element('option', {value: group}, group)));
  select.value = groups.includes(before) ? before : groups.includes(step.dispatch.group) ? step.dispatch.group : groups[0];
  showMemory();
}

function showMemory() {
  const step = steps[at], group = Number(byId('group').value);
  const mine = step.accesses.filter(one => one.group === group), lines = new Map();
  for (const one of mine) {
    const key = `${one.line.line} ${one.memory} ${one.way}`;
    lines.set(key, [...(lines.get(key) || []), one]);
  }
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...['line', 'GLSL', 'what', 'accesses', 'requests', 'transactions', 'bank turns']
    .map((name, i) => element('th', {scope: 'col', class: i > 2 ? 'n' : ''}, name)))));
  const body = element('tbody', {});
  for (const accesses of [...lines.values()].sort((a, b) => a[0].line.line - b[0].line.line)) {
    const one = accesses[0], requests = new Map();
    for (const access of accesses) requests.set(access.request, [...(requests.get(access.request) || []), access]);
    const sum = count => [...requests.values()].reduce((all, request) => all + count(request), 0);
    const cells = [one.line.line || '', element('code', {}, one.line.text), `${one.way} ${nameOf(one.memory)}`, accesses.length, requests.size,
      isShared(one.memory) ? '' : sum(transactionsOf), isShared(one.memory) ? sum(turnsOf) : ''];
    body.append(element('tr', {}, ...cells.map((cell, i) => element('td', {class: i > 2 ? 'n' : ''}, cell))));
  }
  table.append(body);
  byId('requests').replaceChildren(mine.length ? table : element('p', {class: 'quiet'}, 'Nothing.'));
  showBanks(step, mine, group);
}

function showBanks(step, mine, group) {
  const box = byId('banks');
  box.replaceChildren();
  const shared = [...step.dispatch.shared.values()];
  if (!shared.length) return;
  const values = new Map();
  for (const one of step.dispatch.accesses)
    if (one.group === group && one.phase <= step.phase && one.way !== 'read') values.set(one.memory + ' ' + one.index, one.value);
  const requests = new Map();
  for (const one of mine) if (isShared(one.memory)) requests.set(one.request, [...(requests.get(one.request) || []), one]);
  const most = new Array(32).fill(0);
  for (const request of requests.values())
    for (let bank = 0; bank < 32; ++bank)
      most[bank] = Math.max(most[bank], new Set(request.filter(one => bankOf(one) === bank).map(one => one.memory + ' ' + one.index)).size);
  box.append(element('h2', {}, `Shared memory of work-group ${group} in its 32 banks`));
  const table = element('table', {class: 'banks'}, element('caption', {class: 'quiet'},
    'After this step. Blue frame: read in it; orange: written. Last row: the most different words of a bank that are asked for at once; more than 1 is a bank conflict.'));
  table.append(element('thead', {}, element('tr', {}, ...most.map((_, bank) => element('th', {scope: 'col'}, element('span', {}, bank))))));
  const body = element('tbody', {});
  for (const variable of shared) {
    const length = variable.values ? variable.values.length : 0, key = 's:' + variable.name;
    if (!length || length > 1024) { box.append(element('p', {class: 'quiet'}, `${variable.name} is too long to be drawn.`)); continue; }
    for (let first = -variable.bank; first < length; first += 32) {
      const row = element('tr', {});
      for (let bank = 0; bank < 32; ++bank) {
        const index = first + bank;
        if (index < 0 || index >= length) { row.append(element('td', {class: 'none'})); continue; }
        const used = mine.filter(one => one.memory === key && one.index === index);
        const kind = used.some(one => one.way !== 'read') ? 'written' : used.length ? 'read' : '';
        row.append(element('td', {class: kind, title: placeText(key, index)}, element('span', {}, shownText(values.get(key + ' ' + index)))));
      }
      body.append(row);
    }
  }
  body.append(element('tr', {}, ...most.map(count => element('td', {class: count > 1 ? 'clash' : ''}, count || ''))));
  table.append(body);
  box.append(table);
}
