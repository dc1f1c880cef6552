/** Address that another page or app wants shortened, as the address of My Links says it. */
export interface SharedPage {
  shorten?: string
}

/**
 * Reads the address that the bookmarklet names, or that a phone shares with the installed app (web/public/manifest.webmanifest). Many
 * apps share a text in which the address is.
 */
export function readSharedPage(search: Record<string, unknown>): SharedPage {
  for (const shared of [search['shorten'], search['shared_text']]) {
    if (typeof shared !== 'string') continue
    const address = /https?:\/\/\S+/i.exec(shared)?.[0]
    if (address !== undefined) return { shorten: address }
  }
  return {}
}

/** The address of a bookmark that opens the composer with the page that is being read. */
export function bookmarkletOf(publicUrl: string): string {
  return `javascript:void window.open(${JSON.stringify(`${publicUrl}/dashboard?shorten=`)}+encodeURIComponent(location.href))`
}
