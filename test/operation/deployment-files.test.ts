import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { printKeys } from '#server/commands/print-keys.ts'
import { createConfig } from '#server/config.ts'
import { providerVariables } from '#server/env-providers.ts'
import { singleVariables, variableGroups } from '#server/env-variables.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { type Hoplet, startHoplet } from '#server/start.ts'
import { loadKeys, signingKeyOf } from '#server/tokens/keys.ts'
import { hasNatsServer, startNatsCluster } from '../click-log/nats-cluster.ts'
import { createTestDatabase } from '../database.ts'
import { countOf, plantLinks } from '../visits/plant.ts'
import { browser } from '../visits/visit.ts'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

const known = new Set([
  ...Object.keys(singleVariables.shape),
  ...Object.values(variableGroups).flatMap(({ shape }) => Object.keys(shape)),
])

/** For tests alone: they replace the address of someone else's service. */
const internal = ['STRIPE_API_URL', 'CAPTCHA_VERIFY_URL']

const isKnown = (name: string) =>
  known.has(name) || providerVariables({ [name]: 'x' }).includes(name)

describe('the list of settings', () => {
  it('names every variable, and no other', async () => {
    const page = await read('docs/configuration.md')
    const named = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !known.has(name))).toEqual([])
    const missing = [...known].filter((name) => !named.includes(name) && !internal.includes(name))
    expect(missing).toEqual([])
  })

  it('has an example that starts, as it is and with every line switched on', async () => {
    const example = await read('.env.example')
    expect(() => createConfig(parseVariables({}, example))).not.toThrow()
    const names = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) =>
      name.replace(/_FILE$/, ''),
    )
    expect(names.filter((name) => !isKnown(name))).toEqual([])
  })
})

interface Container {
  environment?: Record<string, string | number>
  build?: unknown
  read_only?: boolean
}

describe.each([
  ['deploy/compose.yaml', 1],
  ['deploy/compose.postgres.yaml', 1],
  ['deploy/compose.grown.yaml', 3],
])('%s', (path, nodes) => {
  it('gives each Hoplet settings that it starts with', async () => {
    for (const environment of await hopletSettings(path)) {
      const config = createConfig(parseVariables(environment))
      expect(config.publicUrl ?? 'http://localhost').toMatch(/^http/)
      // The control.
      expect(() => parseVariables({ ...environment, DATABASE_URL: 'postgre://x' })).toThrow(
        'DATABASE_URL',
      )
    }
  })

  it('sets only known variables, and keeps its root read-only', async () => {
    const { services, volumes } = parse(await read(path), { merge: true }) as {
      services: Record<string, Container & { volumes?: string[] }>
      volumes: object
    }
    const servers = Object.keys(services).filter((name) => name.startsWith('hoplet'))
    expect(servers).toHaveLength(nodes)
    for (const name of servers) {
      const { environment = {}, read_only: isReadOnly } = services[name] ?? {}
      expect(Object.keys(environment).filter((each) => !isKnown(each))).toEqual([])
      expect(isReadOnly).toBe(true)
    }
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        if (!source.startsWith('.')) expect(volumes).toHaveProperty(source)
        else await expect(read(`deploy/${source}`)).resolves.toBeTruthy()
      }
    }
  })
})

/** The requirements in the first lines of the files. */
const asked: Record<string, string> = {
  HOPLET_HOST: 'hop.example',
  POSTGRES_PASSWORD: 'a1b2',
  NATS_PASSWORD: 'c3d4',
  CLICKHOUSE_PASSWORD: 'e5f6',
  S3_ENDPOINT: 'https://s3.example',
  S3_BUCKET: 'images',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

/** The environment of each Hoplet in a compose file, as Docker would give it. */
async function hopletSettings(path: string): Promise<Record<string, string>[]> {
  const { key } = await signingKeyOf('/nowhere', undefined)
  const values: Record<string, string | undefined> = {
    ...asked,
    JWT_SIGNING_KEY: JSON.stringify(key),
  }
  const { services } = parse(await read(path), { merge: true }) as {
    services: Record<string, Container>
  }
  return Object.entries(services)
    .filter(([name]) => name.startsWith('hoplet'))
    .map(([, { environment = {} }]) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, text]) => [
          name,
          String(text).replaceAll(
            /\$\{(\w+)(?:(:[?-])([^}]*))?\}/g,
            (_, variable: string, how?: string, rest = '') => {
              const value = values[variable] ?? (how === ':-' ? rest : undefined)
              if (value === undefined) throw new Error(`${path} does not say what ${variable} is`)
              return value
            },
          ),
        ]),
      ),
    )
}

describe.skipIf(!hasNatsServer)('the settings of deploy/compose.grown.yaml', () => {
  it(
    'start three servers with their clicks in a stream of three replicas',
    { tags: ['extended'] },
    async () => {
      const conf = await read('deploy/nats.conf')
      const accounts = /^accounts \{[^]*?^\}/m.exec(conf)?.[0] ?? ''
      expect(accounts).toContain('$NATS_PASSWORD')
      const nats = await startNatsCluster({
        settings: accounts.replaceAll('$NATS_PASSWORD', asked['NATS_PASSWORD'] ?? ''),
        login: `hoplet:${asked['NATS_PASSWORD']}@`,
      })
      const database = await createTestDatabase()
      const folder = await mkdtemp(join(tmpdir(), 'hoplet-grown-'))
      const running: Hoplet[] = []
      onTestFinished(async () => {
        for (const hoplet of running) await hoplet.stop()
        await nats.stop()
        await database.drop()
        await rm(folder, { recursive: true, force: true })
      })
      const [link] = await plantLinks(database.sql, [{ code: 'grown', url: 'https://a.example/' }])
      if (!link) throw new Error('no link')
      for (const [i, settings] of (await hopletSettings('deploy/compose.grown.yaml')).entries()) {
        const CLICK_LOG = nats.urls.reduce(
          (text, url, n) => text?.replace(`nats-${n + 1}:4222`, new URL(url).host),
          settings['CLICK_LOG'],
        )
        const here = { DATABASE_URL: database.url, DATA_DIR: join(folder, String(i)), CLICK_LOG }
        // There is no ClickHouse here; Docker gives each its own loopback.
        const rest = { PORT: '0', ADMIN_PORT: '', ADMIN_HOST: '', CLICKHOUSE_URL: '' }
        const config = createConfig(parseVariables({ ...settings, ...here, ...rest }))
        running.push(await startHoplet(config, createLog('fatal')))
      }
      expect(running).toHaveLength(3)
      for (const { url } of running) {
        const response = await fetch(`${url}/grown`, {
          redirect: 'manual',
          headers: { 'User-Agent': browser },
        })
        expect(response.headers.get('location')).toBe('https://a.example/')
      }
      await expect.poll(() => countOf(database.sql, link.id)).toBe(3)
      const streams = running.map(({ context }) => context.visits.measures().clickStream)
      expect(streams.map((stream) => [stream?.isTakenOver, stream?.published])).toEqual(
        Array.from({ length: 3 }, () => [false, 1]),
      )
      const { config } = await nats.manage((manager) => manager.streams.info('HOPLET_CLICKS'))
      expect(config.num_replicas).toBe(3)
    },
  )
})

it('the command prints the key of the server, or a new one, as a line of settings', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-keys-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const line = await printKeys([], { dataDir, signingKey: undefined })
  const { signingKey } = createConfig(parseVariables({}, `${line}\n`))
  expect(JSON.parse(signingKey ?? '')).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' })
  expect(await printKeys([], { dataDir, signingKey: undefined })).not.toBe(line)

  const own = await loadKeys(dataDir, undefined)
  const printed = await printKeys([], { dataDir, signingKey: undefined })
  // A second server with it accepts the API keys of the first one.
  const second = await loadKeys(join(dataDir, 'second'), printed.replace('JWT_SIGNING_KEY=', ''))
  expect(second.signingKey).toEqual(own.signingKey)
})

it('the settings of the service start a server', async () => {
  const file = await read('deploy/hoplet.env')
  expect(createConfig(parseVariables({}, file)).publicUrl).toBe('https://hop.example')
  expect(createConfig(parseVariables({}, file.replaceAll(/^#(?=[A-Z])/gm, ''))).mail.smtpUrl).toBe(
    'smtps://user:password@mail.example',
  )
})

interface Manifest {
  kind: string
  data?: Record<string, string>
  spec?: { template?: { spec?: { terminationGracePeriodSeconds?: number } } }
}

it('the Kubernetes manifests set only known variables, and fit together', async () => {
  const documents = parseAllDocuments(await read('deploy/kubernetes/hoplet.yaml')).map(
    (document) => document.toJS() as Manifest,
  )
  const of = (kind: string) => documents.find((each) => each.kind === kind)
  const { data = {} } = of('ConfigMap') ?? {}
  expect(Object.keys(data).filter((name) => !isKnown(name))).toEqual([])
  // With the variables of the secret.
  const secret = {
    DATABASE_URL: 'postgres://hoplet_login:x@postgres:5432/hoplet',
    S3_SECRET_ACCESS_KEY: 'x',
  }
  expect(createConfig(parseVariables({ ...data, ...secret })).admin?.port).toBe(9464)
  // DRAIN_SECONDS, and the time of a stop beyond it.
  const seconds = of('StatefulSet')?.spec?.template?.spec?.terminationGracePeriodSeconds
  expect(seconds).toBeGreaterThanOrEqual(Number(data['DRAIN_SECONDS']) + 25)
})
