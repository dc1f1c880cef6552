/**
 * The host as typed, alone or in a whole address, as links hold it: `Bücher.example` and
 * `https://www.bücher.example/x` are both `xn--bcher-kva.example`. A text without a host is returned unchanged.
 */
export function hostNamed(typed: string): string {
  const text = typed.trim()
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) return text
  return new URL(url).hostname.replace(/\.+$/, '').replace(/^www\.(?=.+\..)/, '')
}
