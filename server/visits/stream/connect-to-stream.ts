import { readFile } from 'node:fs/promises'
import { checkServerIdentity, type ConnectionOptions, createSecureContext } from 'node:tls'
import type { NatsConnection, TlsOptions } from '@nats-io/transport-node'
import { StreamProblemsError, streamTimeoutMs } from './click-stream.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/**
 * Connects once; a connection that breaks is closed for good. Files are read each time, so that renewed ones need no restart.
 *
 * @throws {StreamProblemsError} when the login or the certificates are wrong; it shows no secret
 * @throws {Error} while no server can be reached
 */
export async function connectToStream(settings: ClickStreamSettings): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node')
  const { servers, user, password, token, credentials } = settings
  const tls = await tlsOf(settings)
  const options = {
    servers,
    name: 'hoplet',
    reconnect: false,
    timeout: streamTimeoutMs,
    pingInterval: 5_000,
    maxPingOut: 2,
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(token !== undefined && { token }),
    ...(tls && { tls }),
    ...(credentials !== undefined && { authenticator: await authenticatorOf(credentials) }),
  }
  try {
    return await connect(options)
  } catch (error) {
    const problem = problemOf(error, settings)
    if (problem === undefined) throw error
    throw new StreamProblemsError([problem])
  }
}

/** A `.creds` file has a user's JWT and the seed of its key; an nkey user has the seed alone. */
async function authenticatorOf(path: string) {
  const { credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node')
  const text = await read('CLICK_LOG_CREDENTIALS', path)
  const seed = orThrow(
    /^SU[A-Z2-7]{56}$/m.exec(text)?.[0],
    () =>
      new StreamProblemsError([
        `CLICK_LOG_CREDENTIALS: ${path} has no seed of a user's key (SU…); name a .creds file or an nkey file`,
      ]),
  )
  const bytes = new TextEncoder().encode(text.includes('BEGIN NATS USER JWT') ? text : seed)
  return bytes.length === seed.length ? nkeyAuthenticator(bytes) : credsAuthenticator(bytes)
}

type NatsTls = TlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'>

async function tlsOf(settings: ClickStreamSettings): Promise<NatsTls | undefined> {
  const { tls, ca, certificate } = settings
  if (!tls) return undefined
  const options: NatsTls = { checkServerIdentity: identityOf(settings) }
  if (ca !== undefined) options.ca = await read('CLICK_LOG_CA', ca)
  if (certificate === undefined) return options
  const cert = await read('CLICK_LOG_CERTIFICATE', certificate)
  try {
    createSecureContext({ cert, key: cert })
  } catch {
    throw new StreamProblemsError([
      `CLICK_LOG_CERTIFICATE: ${certificate} must have a certificate and its private key, both as PEM`,
    ])
  }
  return { ...options, cert, key: cert }
}

/**
 * The certificate must name one of the servers. For a server that is an address the client passes no host on, and Node would
 * expect `localhost`.
 */
function identityOf({ servers }: ClickStreamSettings): ConnectionOptions['checkServerIdentity'] {
  const hosts = servers.map((server) => server.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''))
  return (_, certificate) => {
    const errors = hosts.map((host) => checkServerIdentity(host, certificate))
    return errors.includes(undefined) ? undefined : errors[0]
  }
}

async function read(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new StreamProblemsError([`${variable}: cannot read ${path}`])
  }
}

function problemOf(error: unknown, settings: ClickStreamSettings): string | undefined {
  if (!(error instanceof Error)) return undefined
  const cause = error.cause instanceof Error ? error.cause : undefined
  const text = `${error.name} ${error.message} ${cause?.message ?? ''}`
  const problems: [RegExp, string][] = [
    [
      /authorization|authentication|user jwt|nkey|creds|seed/i,
      settings.credentials === undefined
        ? 'CLICK_LOG: NATS refuses the user and password or the token, or wants one'
        : 'CLICK_LOG_CREDENTIALS: NATS refuses the user of this file',
    ],
    [
      /certificate.required|alert/i,
      'CLICK_LOG_CERTIFICATE: NATS wants a certificate of its clients, signed by the CA that it trusts',
    ],
    [
      /certificate|self.signed|altname/i,
      `CLICK_LOG_CA: the certificate of the NATS server cannot be verified (${cause?.message ?? error.message}); name its CA, and the hosts in CLICK_LOG as the certificate does`,
    ],
    [/\btls\b|\bssl\b/i, `CLICK_LOG: TLS fails: ${error.message}`],
  ]
  return problems.find(([words]) => words.test(text))?.[1]
}
