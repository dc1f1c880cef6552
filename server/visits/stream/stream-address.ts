/** Address and settings of the click stream. */
export interface ClickStreamSettings {
  /** `host:port` of each server of the cluster that is named. */
  servers: string[]
  tls: boolean
  user?: string | undefined
  password?: string | undefined
  token?: string | undefined
  /** The path of a file with a NATS user's JWT and key (`.creds`), or with the seed of an nkey. */
  credentials?: string | undefined
  /** The path of the certificates that a TLS server's certificate may be signed by; unset: those of the system. */
  ca?: string | undefined
  /** The path of a PEM file with the certificate that a TLS server wants of its clients, and the key. */
  certificate?: string | undefined
  /** The name of the stream. */
  stream: string
  /** On how many servers each click is stored before its visit is answered. */
  replicas: number
}

type StreamAddress = Pick<ClickStreamSettings, 'servers' | 'tls' | 'user' | 'password' | 'token'>

/**
 * Reads `nats://[user:password@|token@]host[:port]`, or several with commas between them; those after the first need no
 * scheme, as for NATS's own clients. `tls://` encrypts.
 *
 * @returns the problem, in words that show no secret
 */
export function parseStreamAddress(text: string): StreamAddress | string {
  const address: StreamAddress = { servers: [], tls: false }
  const [first = '', ...others] = text.split(',').map((part) => part.trim())
  const [scheme = ''] = /^\w+:\/\//.exec(first) ?? []
  const parts = [first, ...others.map((part) => (part.includes('://') ? part : `${scheme}${part}`))]
  for (const [i, part] of parts.entries()) {
    if (!/^(?:nats|tls):\/\/./.test(part) || !URL.canParse(part))
      return 'must be journal, or nats://host[:port] or tls://host[:port], or several of these with commas'
    const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(part)
    if (hostname === '') return 'must name a host'
    if (pathname.replace('/', '') + search + hash !== '')
      return 'must have no path, query or fragment: CLICK_LOG_STREAM names the stream'
    const isTls = protocol === 'tls:'
    if (i > 0 && isTls !== address.tls) return 'must be nats:// for all servers, or tls:// for all'
    address.tls = isTls
    address.servers.push(`${hostname}:${port || '4222'}`)
    if (username === '' && password === '') continue
    if (username === '') return 'must have a user before the password, or a token without a colon'
    const [name, secret] = [decode(username), decode(password)]
    if (name === undefined || secret === undefined)
      return 'must have special characters of user, password and token percent-encoded, also a percent sign (%25)'
    const login = {
      user: secret === '' ? undefined : name,
      password: secret === '' ? undefined : secret,
      token: secret === '' ? name : undefined,
    }
    const isSame =
      address.user === login.user &&
      address.password === login.password &&
      address.token === login.token
    if ((address.user ?? address.token) !== undefined && !isSame)
      return 'must have one user and password, or one token, for all servers'
    Object.assign(address, login)
  }
  return address
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
