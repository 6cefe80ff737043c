// ---- A page that somebody draws again: a2 watch --html

const shownBefore = 'a2 ' + location.pathname;

// The same for the same run, whoever drew it.
function runMark() {
  let mark = 0;
  for (const letter of JSON.stringify([test, dispatches.map(one => one.buffers)])) mark = (mark * 31 + letter.codePointAt(0)) | 0;
  return mark;
}

// Looks for a newer page every so often, but in nobody's way; the same run is at the same step again.
function keepReloading(every) {
  const remembered = act => {
    try { return act(); } catch { return null; }  // a browser may keep nothing for files
  };
  const mark = runMark(), before = remembered(() => JSON.parse(sessionStorage.getItem(shownBefore)));
  if (before && before.mark === mark) show(before.at);
  byId('foot').append(` Drawn at ${new Date(document.lastModified).toLocaleTimeString()}, and again when a file is saved.`);
  setInterval(() => {
    if (playing || predicting || document.hidden) return;
    remembered(() => sessionStorage.setItem(shownBefore, JSON.stringify({at, mark})));
    location.reload();
  }, every);
}
