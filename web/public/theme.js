// Runs before the first paint, so that the page never flashes in the wrong theme. A file of its own, because the
// content security policy allows no inline script. web/shell/theme.ts takes over from here.
;(() => {
  let theme = null
  try {
    theme = localStorage.getItem('theme')
  } catch {
    // Storage can be forbidden; then the default theme stands.
  }
  const dark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
})()
