// ---- Predict: what a step writes is covered, until the reader has said it

let predicting = false, score = {right: 0, wrong: 0};

const coveredCells = () => [...document.querySelectorAll('.cell.covered')];
const truthOf = node => node.cell.row.segments.find(one => one.key === node.cell.key).values.get(node.cell.index);
const shouldBe = node => {
  const wrong = node.cell.row.wrong.get(node.cell.key + ' ' + node.cell.index);
  return wrong ? wrong.expected : truthOf(node);
};

function uncover(node) {
  node.classList.remove('covered', 'asked');
  node.querySelector('.value').textContent = shownText(truthOf(node));
  node.setAttribute('aria-label', cellText(node.cell.row, node.cell.key, node.cell.index));
}

// Of the step that is shown; nothing where nobody predicts.
function cover() {
  coveredCells().forEach(uncover);
  byId('guess').hidden = !predicting;
  document.body.classList.toggle('predict', predicting);
  if (!predicting) return;
  for (const node of document.querySelectorAll('.row.now[data-kind=after] .cell.new, .row.now[data-kind=after] .cell.wrong')) {
    node.classList.add('covered');
    node.querySelector('.value').textContent = '?';
    node.setAttribute('aria-label', placeText(node.cell.key, node.cell.index) + ' is covered');
  }
  ask(coveredCells()[0]);
}

function ask(node) {
  for (const other of document.querySelectorAll('.asked')) other.classList.remove('asked');
  byId('guessed').value = '';
  byId('guess').querySelectorAll('input, button').forEach(one => { one.disabled = !node; });
  byId('asked').textContent = node ? placeText(node.cell.key, node.cell.index) : 'All is said: what comes next';
  if (!node) return;
  node.classList.add('asked');
}

function showScore(text) { byId('score').textContent = `${text} ${score.right} right, ${score.wrong} not.`; }

function guess() {
  const node = document.querySelector('.asked'), text = byId('guessed').value.trim();
  if (!node || !text) return;
  const said = Number(text) === shouldBe(node);
  if (!said) {
    ++score.wrong;
    showScore(`${placeText(node.cell.key, node.cell.index)} is not ${text}.`);
    byId('guessed').select();
    return;
  }
  ++score.right;
  const made = truthOf(node);
  showScore(made === shouldBe(node) ? 'Yes.' : `So it should be; this kernel made ${shownText(made)} of it.`);
  uncover(node);
  ask(coveredCells()[0]);
  byId('guessed').focus();
}

function togglePredict() {
  predicting = !predicting;
  byId('predict').setAttribute('aria-pressed', String(predicting));
  score = {right: 0, wrong: 0};
  byId('score').textContent = '';
  show(at);
  if (predicting) byId('guessed').focus();
}
