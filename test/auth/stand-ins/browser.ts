/** As much of a browser as a sign-in needs: cookies per origin, and redirects one by one. */
export function makeBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>()
  const open = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const headers = new Headers(init.headers)
    if (jar.size > 0)
      headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }
  return {
    open,
    forget: (origin) => void jars.delete(origin),
    async travel(address, until) {
      let at = address
      for (let step = 0; step < 15; step++) {
        if (until(new URL(at))) return new URL(at)
        const response = await open(at)
        const location = response.headers.get('location')
        if (location === null)
          throw new Error(`${at} answered ${response.status}: ${await response.text()}`)
        at = new URL(location, at).href
      }
      throw new Error(`never arrived: ${at}`)
    },
  }
}

export interface Browser {
  /** Opens one address; a redirect is an answer like any other. */
  open(address: string, init?: RequestInit): Promise<Response>
  /** Throws away the cookies of a site. */
  forget(origin: string): void
  /** Follows redirects up to the first address that `until` wants, which is not opened any more. */
  travel(address: string, until: (url: URL) => boolean): Promise<URL>
}
