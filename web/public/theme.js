// Runs before the first paint, so that the page never flashes in the wrong theme. A file of its own, because the
// content security policy allows no inline script. web/shell/theme.ts takes over from here. A document with a prerendered
// screen names the app's script here: it runs after the first paint, which it would hold up.
;(() => {
  let theme = null
  let hasSession = false
  try {
    theme = localStorage.getItem('theme')
    hasSession = localStorage.getItem('hoplet.auth') !== null
  } catch {
    // Storage can be forbidden; then the default theme stands.
  }
  const dark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
  // The newest that each engine has to know: Chrome 120, Safari 17.4, Firefox 128. Others see a sentence (web/old-browser.css).
  const isSupported = 'canParse' in URL && 'withResolvers' in Promise && 'CSSPropertyRule' in window
  document.documentElement.classList.toggle('is-supported', isSupported)
  // Prerendered screens are those of a visitor, or of a person who is signed in (web/app.css hides what does not fit).
  document.documentElement.classList.toggle('has-session', hasSession)

  const { app, screen } = document.currentScript.dataset
  if (app === undefined) return
  const files = app.split(' ')
  let isLoading = false
  function load() {
    if (isLoading) return
    isLoading = true
    for (const href of files) preload(href, 'high')
    // Requests of the app overtake them: over HTTP/1.1 all share six connections.
    for (const href of screen.split(' ').filter(Boolean)) preload(href, 'low')
    run().catch(() => {
      addEventListener('online', () => location.reload(), { once: true })
    })
  }
  function preload(href, fetchPriority) {
    const link = document.createElement('link')
    document.head.append(Object.assign(link, { rel: 'modulepreload', href, fetchPriority }))
  }
  // One by one, so that a slow phone paints and answers in between.
  async function run() {
    for (const file of files) {
      await import(file)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  addEventListener('DOMContentLoaded', () => {
    // A page in the background is not painted.
    if (document.hidden) return load()
    requestAnimationFrame(() => setTimeout(load))
    setTimeout(load, 2_000)
  })
})()
