import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createConfig } from '#server/config.ts'
import { providerVariables } from '#server/env-providers.ts'
import { singleVariables, variableGroups } from '#server/env-variables.ts'
import { parseVariables } from '#server/env.ts'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

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
  environment?: Record<string, unknown>
  build?: unknown
  read_only?: boolean
}

describe.each([
  ['deploy/compose.yaml', 1],
  ['deploy/compose.postgres.yaml', 1],
  ['deploy/compose.grown.yaml', 3],
])('%s', (path, nodes) => {
  it('sets only what Hoplet knows, and keeps its root read-only', async () => {
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

it('the Kubernetes manifests set only what Hoplet knows, and fit together', async () => {
  const documents = parseAllDocuments(await read('deploy/kubernetes/hoplet.yaml')).map(
    (document) => document.toJS() as Manifest,
  )
  const of = (kind: string) => documents.find((each) => each.kind === kind)
  const { data = {} } = of('ConfigMap') ?? {}
  expect(Object.keys(data).filter((name) => !isKnown(name))).toEqual([])
  // With what the secret adds.
  const secret = {
    DATABASE_URL: 'postgres://hoplet_login:x@postgres:5432/hoplet',
    S3_SECRET_ACCESS_KEY: 'x',
  }
  expect(createConfig(parseVariables({ ...data, ...secret })).admin?.port).toBe(9464)
  // DRAIN_SECONDS, and what a stop may take beyond it.
  const seconds = of('StatefulSet')?.spec?.template?.spec?.terminationGracePeriodSeconds
  expect(seconds).toBeGreaterThanOrEqual(Number(data['DRAIN_SECONDS']) + 25)
})
