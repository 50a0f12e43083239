// Before the first paint: the theme that was chosen, so that nothing flashes.
try {
  var chosen = JSON.parse(localStorage.getItem('tactus.theme') || '"auto"');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch (e) {
  /* a browser without storage has the system's theme */
}
