/** Why an address can't be a destination. destination-notice.ts has the text for people. */
export type DestinationProblem =
  | 'empty'
  | 'length'
  | 'control-characters'
  | 'syntax'
  | 'scheme'
  | 'userinfo'
  | 'own-host'

export type DestinationCheck =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: DestinationProblem }

// In characters, of the typed and of the stored address.
/** Characters. */
export const destinationMaxLength = 2048

// `new URL()` silently drops tabs, newlines and outer spaces and turns `\` into `/`, so the typed address and the address that
// a browser opens can differ. We refuse them in the raw text: control and invisible characters, spaces, lone
// surrogates, backslashes. A plain space inside is a common slip and harmless: it is stored as %20.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]|(?! )\p{Zs}/u

// The same pattern as app.is_destination in the database: a URL that passes here must pass there.
const storable =
  /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)(:[0-9]{1,5})?([/?#][!-[\]-~]*)?$/

const loopback =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$/

/**
 * Checks the destination of a link: absolute http or https, no user information, at most 2,048
 * characters, not this server itself (`ownHosts`, from {@link ownHostsOf}). `url` is the text to store: the WHATWG
 * serialisation, ASCII, stable when checked again; a bare origin stays without the slash that it was typed without.
 * The form, the API and the redirect all call this.
 */
export function checkDestination(
  raw: string,
  { ownHosts }: { ownHosts: readonly string[] },
): DestinationCheck {
  if (raw.trim() === '') return refuse('empty')
  if (raw.length > destinationMaxLength) return refuse('length')
  // The stored form has none of the problems of a typed text.
  const problem = storable.test(raw) ? undefined : problemOf(raw)
  if (problem) return refuse(problem)

  const url = parse(raw)
  if (url === null) return refuse('syntax')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('scheme')
  if (url.username !== '' || url.password !== '') return refuse('userinfo')
  if (url.href.length > destinationMaxLength) return refuse('length')
  // DNS has no longer names.
  if (!storable.test(url.href) || /.{253}[^.]/.test(url.hostname)) return refuse('syntax')
  if (ownHosts.some((own) => isSameHost(url, own))) return refuse('own-host')
  return { ok: true, url: url.href === `${raw}/` ? raw : url.href }
}

function problemOf(raw: string): DestinationProblem | undefined {
  if (invisible.test(raw)) return 'control-characters'
  if (!/^https?:/i.test(raw)) return /^[a-z][a-z0-9+.-]*:/i.test(raw) ? 'scheme' : 'syntax'
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1]
  if (authority === undefined) return 'syntax'
  return authority.includes('@') ? 'userinfo' : undefined
}

// A host with a dot, perhaps with a port; not `localhost`, `mailto:x` or `//x`.
const beginsWithHost = /^[^\s/?#:@\\]+\.[^\s/?#:@\\]{2,}(:\d{1,5})?([/?#]|$)/u

/** Whether https:// goes before the typed text: `example.com/x`. */
export function lacksScheme(typed: string): boolean {
  return beginsWithHost.test(typed.trim())
}

/** Checks a destination as a person types it: https:// is added where the scheme is missing. The API takes none without a scheme. */
export function readDestination(
  typed: string,
  options: { ownHosts: readonly string[] },
): DestinationCheck {
  const text = typed.trim()
  return checkDestination(lacksScheme(text) ? `https://${text}` : text, options)
}

function refuse(reason: DestinationProblem): DestinationCheck {
  return { ok: false, reason }
}

function parse(raw: string): URL | null {
  try {
    return new URL(raw)
  } catch {
    return null
  }
}

/** The host as people read and type it, with its port if it has one. */
export function readableHost(publicUrl: string): string {
  return publicUrl.replace(/^https?:\/\//, '')
}

/**
 * The hosts that no link may lead to: the server's own. A name counts with any port; a loopback address only with
 * ours, because other programs run on the same machine.
 *
 * @param site with the address of the server's links, if it is another one
 */
export function ownHostsOf({ publicUrl, linksUrl = publicUrl }: Addresses): readonly string[] {
  if (latest.publicUrl !== publicUrl || latest.linksUrl !== linksUrl)
    latest = { publicUrl, linksUrl, ownHosts: readOwnHosts(publicUrl, linksUrl) }
  return latest.ownHosts
}

interface Addresses {
  publicUrl: string
  linksUrl?: string | undefined
}

/** Every look-up of a name asks for the same addresses. */
let latest = { publicUrl: '', linksUrl: '', ownHosts: [] as readonly string[] }

function readOwnHosts(...urls: string[]): readonly string[] {
  const hosts = urls.map((url) => {
    const { hostname, port, protocol } = new URL(url)
    if (!loopback.test(hostname)) return plainHost(hostname)
    return `localhost:${port || defaultPort(protocol)}`
  })
  return [...new Set(hosts)]
}

/** Whether an address leads to the machine that it is opened on. */
export function isLocalAddress(publicUrl: string): boolean {
  return loopback.test(new URL(publicUrl).hostname)
}

function isSameHost(url: URL, own: string): boolean {
  const [, host = own, port = '80'] = /^(.+?)(?::(\d+))?$/.exec(own) ?? []
  const [a, b] = [plainHost(url.hostname), plainHost(host)]
  if (!loopback.test(b)) return a === b
  return loopback.test(a) && (url.port || defaultPort(url.protocol)) === port
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80'
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/\.+$/, '')
    .replace(/^www\./, '')
}
