// ---- Beside another run: what is shown here is shown there, in a frame of the same page

let following = false;

function tellTheOther() {
  const step = steps[at];
  if (parent !== window && !following && step) parent.postMessage({dispatch: step.dispatch.index, phase: step.phase}, '*');
}

// The same dispatch and phase, or as far in it as there is.
function follow(place) {
  const same = steps.filter(step => step.dispatch.index === place.dispatch);
  const step = same.find(one => one.phase === place.phase) || same[same.length - 1];
  if (!step) return;
  following = true;
  go(step.number);
  following = false;
}
