/** @module-tag extended */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkClickStream } from '#server/visits/stream/start-check.ts'
import type { ClickStreamSettings } from '#server/visits/stream/stream-address.ts'
import { recordLog } from '#test/record-log.ts'
import { hasNatsServer, startNatsCluster } from './nats-cluster.ts'
import { newAuthority, newNkey, newOperator } from './nats-identities.ts'
import { setUpLog, streamSettings } from './open-log.ts'

type Authority = ReturnType<typeof newAuthority>

let folder: string
let authority: Authority
let stranger: Authority
/** Certificates with their keys. */
const certificates = { server: '', hoplet: '' }
const cleanups: (() => Promise<unknown>)[] = []

async function keep(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

/** A NATS server that only this test has. */
async function startNats(options: Parameters<typeof startNatsCluster>[0]) {
  const cluster = await startNatsCluster({ servers: 1, ...options })
  cleanups.push(() => cluster.stop())
  return cluster
}

/** The start's problems and log. Neither has the secret. */
async function problemsWith(
  url: string,
  more: Partial<ClickStreamSettings>,
  secret: string,
): Promise<string[]> {
  const { log, messages } = recordLog()
  const problems = await checkClickStream({ ...streamSettings(url, 'CLICKS'), ...more }, log)
  expect(JSON.stringify([problems, messages()])).not.toContain(secret)
  // Otherwise the start would have gone on, with the journal.
  expect(messages()).toEqual([])
  return problems
}

const encrypted = (url: string) => url.replace('nats://', 'tls://')
const tlsSettings = (more = '') =>
  `tls { cert_file: "${certificates.server}", key_file: "${certificates.server}"\n${more} }`
/** How the test itself connects. */
const unverified = (more = {}) => ({ tls: { rejectUnauthorized: false, ...more } })

describe.skipIf(!hasNatsServer)('the login at NATS', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hoplet-logins-'))
    authority = newAuthority(folder, 'authority')
    stranger = newAuthority(folder, 'stranger')
    certificates.server = authority.issue('server')
    certificates.hoplet = authority.issue('hoplet')
  })
  afterEach(async () => {
    for (const clean of cleanups.splice(0).toReversed()) await clean()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('with user and password, over TLS with a private CA, counts clicks', async () => {
    const { url } = await startNats({
      login: 'me:hush-hush@',
      settings: `authorization { user: me, password: hush-hush }\n${tlsSettings()}`,
      connection: unverified(),
    })
    const ca = authority.file
    const right = { ...streamSettings(encrypted(url), 'CLICKS'), ca }
    const { open, counted } = await setUpLog(cleanups, right)
    const sink = open()
    // The stream has them, not the journal that would have taken over.
    await expect.poll(() => sink.stream()?.isTakenOver).toBe(false)
    await sink.visit(3)
    expect(sink.stream()).toMatchObject({ published: 1, takeovers: 0 })
    await expect.poll(counted, { timeout: 240_000 }).toBe(3)
    await sink.close()

    const wrong = encrypted(url).replace('hush-hush', 'whisper')
    expect(await problemsWith(wrong, { ca }, 'whisper')).toEqual([
      expect.stringMatching(/^CLICK_LOG: NATS refuses the user and password/),
    ])
    const cannotVerify = [expect.stringMatching(/^CLICK_LOG_CA: .*cannot be verified/)]
    // The certificate is for 127.0.0.1 alone.
    const elsewhere = encrypted(url).replace('127.0.0.1', 'localhost')
    expect(await problemsWith(elsewhere, { ca }, 'hush-hush')).toEqual(cannotVerify)
    for (const more of [{}, { ca: stranger.file }])
      expect(await problemsWith(encrypted(url), more, 'hush-hush')).toEqual(cannotVerify)
    // The server speaks TLS only, so it is not trusted unseen either.
    expect(await problemsWith(url, {}, 'hush-hush')).toEqual(cannotVerify)
    expect(await problemsWith(encrypted(url), { ca: '/missing.pem' }, 'hush-hush')).toEqual([
      'CLICK_LOG_CA: cannot read /missing.pem',
    ])
  })

  it('with a token', async () => {
    const { url } = await startNats({
      settings: 'authorization { token: "s3cret" }',
      connection: { token: 's3cret' },
    })
    const as = (token: string) => url.replace('//', `//${token}`)
    expect(await problemsWith(as('s3cret@'), {}, 's3cret')).toEqual([])
    const refused = [expect.stringMatching(/^CLICK_LOG: NATS refuses .* token, or wants one/)]
    expect(await problemsWith(as('guess@'), {}, 'guess')).toEqual(refused)
    expect(await problemsWith(url, {}, 's3cret')).toEqual(refused)
    // A client that asks for TLS sends nothing without it.
    expect(await problemsWith(encrypted(as('s3cret@')), {}, 's3cret')).toEqual([
      expect.stringMatching(/^CLICK_LOG: TLS fails/),
    ])
  })

  it('with a .creds file of an account', async () => {
    const operator = newOperator()
    const { file, seed } = operator.newCredentials()
    const { url } = await startNats({
      settings: operator.settings,
      connection: { authenticator: credsAuthenticator(new TextEncoder().encode(file)) },
    })
    const credentials = await keep('right.creds', file)
    expect(await problemsWith(url, { credentials }, seed)).toEqual([])
    const other = newOperator().newCredentials()
    const foreign = await keep('foreign.creds', other.file)
    expect(await problemsWith(url, { credentials: foreign }, other.seed)).toEqual([
      expect.stringMatching(/^CLICK_LOG_CREDENTIALS: NATS refuses/),
    ])
    const garbage = await keep('garbage.creds', 'hush-hush')
    expect(await problemsWith(url, { credentials: garbage }, 'hush-hush')).toEqual([
      `CLICK_LOG_CREDENTIALS: ${garbage} has no seed of a user's key (SU…); name a .creds file or an nkey file`,
    ])
    // One letter of the seed is wrong, so its checksum is. (The last one has bits without a meaning.)
    const torn = `${seed.slice(0, -2)}${seed.at(-2) === 'A' ? 'B' : 'A'}${seed.slice(-1)}`
    const broken = await keep('broken.creds', file.replace(seed, torn))
    expect(await problemsWith(url, { credentials: broken }, torn)).toEqual([
      expect.stringMatching(/^CLICK_LOG_CREDENTIALS: /),
    ])
    expect(await problemsWith(url, { credentials: '/missing.creds' }, seed)).toEqual([
      'CLICK_LOG_CREDENTIALS: cannot read /missing.creds',
    ])
  })

  it('with an nkey', async () => {
    const { publicKey, seed } = newNkey()
    const { url } = await startNats({
      settings: `authorization { users: [ { nkey: ${publicKey} } ] }`,
      connection: { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) },
    })
    const credentials = await keep('right.nk', `${seed}\n`)
    expect(await problemsWith(url, { credentials }, seed)).toEqual([])
    const other = newNkey().seed
    const foreign = await keep('foreign.nk', other)
    expect(await problemsWith(url, { credentials: foreign }, other)).toEqual([
      expect.stringMatching(/^CLICK_LOG_CREDENTIALS: NATS refuses/),
    ])
  })

  it('with a certificate, where NATS verifies its clients', async () => {
    const ca = authority.file
    const file = certificates.hoplet
    const { url } = await startNats({
      settings: tlsSettings(`ca_file: "${ca}", verify: true`),
      connection: unverified({ certFile: file, keyFile: file }),
    })
    const withCertificate = (certificate?: string) =>
      problemsWith(encrypted(url), { ca, certificate }, 'PRIVATE KEY')
    expect(await withCertificate(file)).toEqual([])
    expect(await withCertificate()).toEqual([
      expect.stringMatching(/^CLICK_LOG_CERTIFICATE: NATS wants a certificate/),
    ])
    // It has no key.
    expect(await withCertificate(ca)).toEqual([
      `CLICK_LOG_CERTIFICATE: ${ca} must have a certificate and its private key, both as PEM`,
    ])
  })

  it('that is refused stops the start with the line to change, and shows no secret', async () => {
    const { url } = await startNats({
      login: 'me:hush-hush@',
      settings: `authorization { user: me, password: hush-hush }\n${tlsSettings()}`,
      connection: unverified(),
    })
    const entry = new URL('../../dist/server/main.js', import.meta.url).pathname
    const child = spawn(process.execPath, [entry], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        LOG_LEVEL: 'trace',
        DATA_DIR: join(folder, 'data'),
        DATABASE_URL: 'postgres://hoplet:x@127.0.0.1:1/hoplet',
        CLICK_LOG: encrypted(url).replace('hush-hush', 'whisper'),
        CLICK_LOG_CA: authority.file,
        CLICK_LOG_REPLICAS: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    cleanups.push(async () => child.kill('SIGKILL'))
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')
    expect(child.exitCode).toBe(1)
    expect(output).toContain('CLICK_LOG: NATS refuses the user and password')
    expect(output).not.toContain('whisper')
  })
})
