/**
 * True when the request comes from a page of ours. Browsers send `Sec-Fetch-Site`, older ones `Origin`. A client without
 * either is not a browser with our form.
 */
export function isSameOrigin({ headers }: Request, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.get('host')
}
