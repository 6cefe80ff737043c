'use strict';
const report = JSON.parse(document.getElementById('report').textContent);
const test = report.tests[0], run = test.cases[0] || {}, dispatches = report.dispatches || [];
const byId = id => document.getElementById(id);
const figureNames = {4: 'the tree of a reduction', 5: 'interleaved addressing', 6: 'hazards without synchronisation',
  7: 'sequential addressing', 8: 'kernel decomposition', 9: 'naive scan', 10: 'up-sweep', 11: 'down-sweep',
  12: 'scan of a large array'};
const figureText = number => number ? ` (Figure ${number}: ${figureNames[number]})` : '';
const many = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

function element(name, attributes, ...children) {
  const svg = ['svg', 'g', 'rect', 'text', 'line', 'path', 'circle', 'title'].includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
