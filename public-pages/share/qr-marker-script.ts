/**
 * Runs in the visitor's page, as source text like popup-script.ts: it must not use anything outside itself. The marker of a QR
 * code has been counted, so it leaves the address bar: a copied or bookmarked address did not come from a code. `/q/{name}` and
 * `/q/{name}/{mark}` become `/{name}`.
 */
export function removeQrMarker(marker: string): void {
  const { pathname, search, hash } = window.location
  const all = search.slice(1).split('&')
  const kept = all.filter((pair) => pair !== marker && !pair.startsWith(`${marker}=`))
  const [, scanned] = /^\/q\/([\w-]+)(?:\/[a-z0-9]+)?\/?$/i.exec(pathname) ?? []
  if (kept.length === all.length && scanned === undefined) return
  const path = scanned === undefined ? pathname : `/${scanned.toLowerCase()}`
  const query = search === '' || kept.length === 0 ? '' : `?${kept.join('&')}`
  try {
    window.history.replaceState(window.history.state, '', path + query + hash)
  } catch {
    // The address stays as it is, and the page works.
  }
}
