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
  const [first = '', ...others] = text.split(',').map((part) => part.trim())
  const [scheme = ''] = /^\w+:\/\//.exec(first) ?? []
  const parts = [first, ...others.map((part) => (part.includes('://') ? part : `${scheme}${part}`))]
  if (!parts.every((part) => /^(?:nats|tls):\/\/./.test(part) && URL.canParse(part)))
    return 'must be journal, or nats://host[:port] or tls://host[:port], or several of these with commas'
  const urls = parts.map((part) => new URL(part))
  const fault = faults.find(([isFault]) => isFault(urls))
  if (fault) return fault[1]
  const [login] = loginsOf(urls)
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    tls: urls[0]?.protocol === 'tls:',
    ...(login && loginOf(login)),
  }
}

/** In the order in which they are told. */
const faults: readonly [isFault: (urls: readonly URL[]) => boolean, problem: string][] = [
  [(urls) => urls.some(({ hostname }) => hostname === ''), 'must name a host'],
  [
    (urls) =>
      urls.some(({ pathname, search, hash }) => pathname.replace('/', '') + search + hash !== ''),
    'must have no path, query or fragment: CLICK_LOG_STREAM names the stream',
  ],
  [
    (urls) => new Set(urls.map(({ protocol }) => protocol)).size > 1,
    'must be nats:// for all servers, or tls:// for all',
  ],
  [
    (urls) => urls.some(({ username, password }) => username === '' && password !== ''),
    'must have a user before the password, or a token without a colon',
  ],
  [
    (urls) => loginsOf(urls).flat().includes(undefined),
    'must have special characters of user, password and token percent-encoded, also a percent sign (%25)',
  ],
  [
    (urls) => new Set(loginsOf(urls).map((login) => JSON.stringify(login))).size > 1,
    'must have one user and password, or one token, for all servers',
  ],
]

type Login = [user: string | undefined, password: string | undefined]

/** Logins of the servers that have one; undefined for a part that is wrongly encoded. */
function loginsOf(urls: readonly URL[]): Login[] {
  return urls
    .filter(({ username }) => username !== '')
    .map(({ username, password }) => [decode(username), decode(password)])
}

/** A user without a password is a token. */
function loginOf([name, secret]: Login): Pick<StreamAddress, 'user' | 'password' | 'token'> {
  return secret ? { user: name, password: secret } : { token: name }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
