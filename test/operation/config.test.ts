import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { ConfigurationError, parseVariables } from '#server/env.ts'

function problemsOf(environment: Record<string, string>, file = ''): string[] {
  try {
    createConfig(parseVariables(environment, file))
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}

it('the configuration needs no configuration', () => {
  const config = createConfig(parseVariables({}))
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    rateLimits: true,
    trustedProxies: 0,
  })
})

it('the configuration treats an empty variable as unset', () => {
  expect(createConfig(parseVariables({ PORT: '', PUBLIC_URL: ' ' })).port).toBe(3000)
})

it('the configuration lists every problem at once', () => {
  const problems = problemsOf({
    PORT: '70000',
    PUBLIC_URL: 'ftp://go.example',
    DATABASE_URL: 'mysql://x',
    CLICK_MODE: 'later',
    RATE_LIMITS: 'maybe',
  })
  for (const name of ['PORT', 'PUBLIC_URL', 'DATABASE_URL', 'CLICK_MODE', 'RATE_LIMITS']) {
    expect(problems.filter((problem) => problem.startsWith(`${name}:`))).toHaveLength(1)
  }
})

it('the configuration takes a number of workers, or auto', () => {
  const workersOf = (environment: Record<string, string>) =>
    createConfig(parseVariables(environment)).workers
  expect(workersOf({})).toBe(1)
  expect(workersOf({ WORKERS: '4' })).toBe(4)
  expect(workersOf({ WORKERS: 'auto' })).toBeGreaterThanOrEqual(1)
  for (const WORKERS of ['0', '129', '-1', '1.5', 'all'])
    expect(problemsOf({ WORKERS, PORT: 'x' })).toEqual([
      'PORT: must be a whole number',
      expect.stringMatching(/^WORKERS: must be /),
    ])
})

it('the configuration lists a wrong admin port beside other problems', () => {
  const problemsWith = (environment: Record<string, string>) =>
    problemsOf({ ...environment, CLICK_MODE: 'later' }).filter((each) => each.startsWith('ADMIN_'))
  for (const ADMIN_PORT of ['0', '65536', 'x', '-1', '9464.5'])
    expect(problemsWith({ ADMIN_PORT })).toHaveLength(1)
  const same = 'ADMIN_PORT: must be another port than PORT'
  expect(problemsWith({ ADMIN_PORT: '3000' })).toEqual([same])
  expect(problemsWith({ ADMIN_PORT: '4000', PORT: '4000', ADMIN_HOST: '::1' })).toEqual([same])
  expect(problemsWith({ ADMIN_HOST: '127.0.0.1' })).toEqual([
    'ADMIN_HOST: means something only with ADMIN_PORT',
  ])
  expect(problemsWith({ ADMIN_PORT: '4000' })).toEqual([])
})

it('the configuration has no admin port by default, and with one listens on this machine only', () => {
  const adminWith = (environment: Record<string, string>) =>
    createConfig(parseVariables(environment)).admin
  expect(adminWith({})).toBeUndefined()
  expect(adminWith({ ADMIN_PORT: '9464' })).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(adminWith({ ADMIN_PORT: '9464', ADMIN_HOST: '0.0.0.0' })).toEqual({
    host: '0.0.0.0',
    port: 9464,
  })
})

it('the configuration takes a socket in the address of the database', () => {
  for (const DATABASE_URL of [
    'postgres://hoplet@/hoplet?host=/run/postgresql',
    'postgresql://%2Frun%2Fpostgresql/hoplet',
  ])
    expect(parseVariables({ DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL)
  for (const DATABASE_URL of ['postgres://', 'postgres:', 'http://x/postgres://y'])
    expect(problemsOf({ DATABASE_URL })).toHaveLength(1)
})

it('the configuration refuses a public address with a path', () => {
  expect(problemsOf({ PUBLIC_URL: 'https://go.example/app' })).toHaveLength(1)
  const links = (LINKS_URL: string) => problemsOf({ PUBLIC_URL: 'https://app.example', LINKS_URL })
  for (const url of ['https://go.example', 'http://go.example:8080/', 'https://app.example'])
    expect([url, links(url)]).toEqual([url, []])
  for (const url of [
    'https://go.example/x',
    'go.example',
    'ftp://go.example',
    'https://u@go.example',
    'https://go.example/?x',
    'http://app.example',
    'https://app.example:8443',
    'https://www.app.example',
  ])
    expect([url, links(url)]).toEqual([url, [expect.stringMatching(/^LINKS_URL: /)]])
  expect(problemsOf({ LINKS_URL: 'https://go.example' })).toEqual([
    'LINKS_URL: means something only with PUBLIC_URL',
  ])
})

it('the configuration refuses a variable that appears twice in .env', () => {
  expect(problemsOf({}, 'PORT=3000\n# PORT=1\nHOST=::1\nPORT=4000\n')).toEqual([
    'PORT: set more than once in .env',
  ])
})

it('the configuration refuses a misspelled name and suggests the right one, and warns of others that begin like ours', () => {
  expect(problemsOf({ DATABSE_URL: 'postgres://u:p@127.0.0.1/x' })).toEqual([
    'DATABSE_URL: is not a setting; DATABASE_URL is',
  ])
  const misspelled = 'BACKUP_SHEDULE=x\nPUBLIC_ULR=x\nTRUSTED_PROXY=1\nSMTP_URL_FIEL=/x\n'
  expect(problemsOf({}, misspelled).map((each) => each.replace(/:.*; /, ' '))).toEqual([
    'BACKUP_SHEDULE BACKUP_SCHEDULE is',
    'PUBLIC_ULR PUBLIC_URL is',
    'SMTP_URL_FIEL SMTP_URL_FILE is',
    'TRUSTED_PROXY TRUSTED_PROXIES is',
  ])
  expect(parseVariables({ BACKUP_FOLDER: '/x', HOPLET_URL: 'x', SMTP_HOST: 'x' }).warnings).toEqual(
    [
      'BACKUP_FOLDER is not a setting of Hoplet: it changes nothing',
      'HOPLET_URL is not a setting of Hoplet: it changes nothing',
      'SMTP_HOST is not a setting of Hoplet: it changes nothing',
    ],
  )
  // The controls: variables of other programs, short names, and a sign-in provider.
  const others = {
    HOME: '/',
    SESSION_MANAGER: 'local/x',
    PASSWORD_STORE_DIR: '/x',
    XAI_API_KEY: 'k',
    POST: '1',
    HOSTNAME: 'a',
    CLICKS: 'x',
    NODE_OPTIONS: '',
  }
  const services = {
    KUBERNETES_SERVICE_HOST: 'x',
    HOPLET_PORT_3000_TCP_ADDR: 'x',
    HOPLET_PORT: 'x',
  }
  expect(parseVariables({ ...others, ...services }).warnings).toEqual([])
})

it.each([
  ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
  ['TRUSTED_PROXI', 'TRUSTED_PROXIES'],
  ['RATE_LIMIT', 'RATE_LIMITS'],
  ['AUTH_REDIRECT_URL', 'AUTH_REDIRECT_URLS'],
  ['CLICK_RETENTION_DAY', 'CLICK_RETENTION_DAYS'],
  ['SESSIONS_IDLE_DAY', 'SESSION_IDLE_DAYS'],
  ['WEBHOOKS_PRIVATE_ADDRESS', 'WEBHOOK_PRIVATE_ADDRESSES'],
  ['DATABASES_URLS', 'DATABASE_URL'],
  ['CAPTCHAS_SITES_KEY', 'CAPTCHA_SITE_KEY'],
])('the configuration refuses %s, which has the words of %s in another number', (name, meant) => {
  expect(problemsOf({ [name]: '1' })).toEqual([`${name}: is not a setting; ${meant} is`])
})

it.each(['TRUST_PROXY', 'TRUSTED_HOPS', 'AUTH_URL', 'CAPTCHA_KEY', 'SESSION_DAYS', 'LEAD_HOOK'])(
  'the configuration warns of %s, which begins like a setting',
  (name) => {
    expect(parseVariables({ [name]: '1' }).warnings).toEqual([
      `${name} is not a setting of Hoplet: it changes nothing`,
    ])
  },
)

it('the configuration refuses the header of a proxy for countries where no proxy is trusted', () => {
  const GEOIP_HEADER = 'CF-IPCountry'
  for (const environment of [{ GEOIP_HEADER }, { GEOIP_HEADER, TRUSTED_PROXIES: '0' }])
    expect(problemsOf(environment)).toEqual([
      'GEOIP_HEADER: means something only with TRUSTED_PROXIES',
    ])
  expect(problemsOf({ GEOIP_HEADER, TRUSTED_PROXIES: '1' })).toEqual([])
})

it('the configuration lets the environment win over .env', () => {
  expect(parseVariables({ PORT: '4000' }, 'PORT=3000').PORT).toBe(4000)
})

it('the configuration reads a secret from a file, and refuses NAME together with NAME_FILE', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'hoplet-secret-')), 'url')
  await writeFile(path, 'postgres://u:p@127.0.0.1/x\n')
  expect(parseVariables({ DATABASE_URL_FILE: path }).DATABASE_URL).toBe(
    'postgres://u:p@127.0.0.1/x',
  )
  expect(
    problemsOf({ DATABASE_URL_FILE: path, DATABASE_URL: 'postgres://u:p@127.0.0.1/y' }),
  ).toHaveLength(1)
  expect(problemsOf({ DATABASE_URL_FILE: '/nowhere/at/all' })).toHaveLength(1)
})

it('the configuration refuses a signing key other than a private P-256 key', () => {
  for (const key of [
    'secret',
    '{}',
    '{"kty":"EC","crv":"P-256"}',
    '{"kty":"oct","k":"c2VjcmV0"}',
  ]) {
    expect(problemsOf({ JWT_SIGNING_KEY: key })).toHaveLength(1)
  }
})

it('the configuration refuses CLICK_FSYNC without the journal', () => {
  expect(problemsOf({ CLICK_FSYNC: 'on', CLICK_MODE: 'sync' })).toHaveLength(1)
})

it('the configuration requires all AI settings or none, and without them uses the built-in generator', () => {
  expect(createConfig(parseVariables({})).ai).toEqual({
    provider: undefined,
    limits: { perPerson: 50, total: 2_000 },
    timeLimits: { text: 30_000, image: 60_000 },
  })
  expect(problemsOf({ AI_BASE_URL: 'https://ai.example/v1' })).toEqual([
    'AI_API_KEY: is missing, though AI_BASE_URL is set',
    'AI_TEXT_MODEL: is missing, though AI_BASE_URL is set',
  ])
  expect(problemsOf({ AI_IMAGE_MODEL: 'x' })).toHaveLength(3)
  expect(
    problemsOf({ AI_BASE_URL: 'https://user:key@ai.example/v1', AI_DAILY_TOTAL: '-1' }),
  ).toHaveLength(4)
  const whole = { AI_BASE_URL: 'https://ai.example/v1', AI_API_KEY: 'k', AI_TEXT_MODEL: 't' }
  expect(createConfig(parseVariables(whole)).ai.provider).toEqual({
    baseUrl: 'https://ai.example/v1',
    apiKey: 'k',
    textModel: 't',
    imageModel: undefined,
  })
})

it('the configuration requires all storage settings or none', () => {
  expect(createConfig(parseVariables({})).media.s3).toBeUndefined()
  expect(problemsOf({ S3_BUCKET: 'b', S3_ENDPOINT: 'https://s3.example' })).toEqual([
    'S3_ACCESS_KEY_ID: is missing, though S3_ENDPOINT is set',
    'S3_SECRET_ACCESS_KEY: is missing, though S3_ENDPOINT is set',
  ])
  expect(problemsOf({ S3_REGION: 'eu' })).toHaveLength(4)
  expect(problemsOf({ S3_ENDPOINT: 's3.example' }).length).toBeGreaterThan(0)
})

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PRICE_PRO: 'price_a',
  STRIPE_PRICE_BUSINESS: 'price_b',
}

it('the configuration requires all Stripe settings or none', () => {
  expect(createConfig(parseVariables(stripe)).payments).toEqual({
    provider: 'stripe',
    secretKey: 'sk_test_x',
    webhookSecret: undefined,
    prices: { pro: 'price_a', business: 'price_b' },
    apiUrl: undefined,
  })
  expect(problemsOf({ STRIPE_WEBHOOK_SECRET: 'whsec_x' })).toHaveLength(3)
  expect(
    problemsOf({
      ...stripe,
      STRIPE_SECRET_KEY: 'pk_test_x',
      STRIPE_PRICE_BUSINESS: 'price_a',
      STRIPE_WEBHOOK_SECRET: 'x',
    }),
  ).toHaveLength(3)
})

it('the configuration allows play money on a loopback address only, and never beside Stripe', () => {
  const provider = (environment: Record<string, string>) =>
    createConfig(parseVariables(environment)).payments?.provider
  expect(provider({})).toBe('play_money')
  expect(provider({ PUBLIC_URL: 'http://[::1]:3000' })).toBe('play_money')
  expect(provider({ PUBLIC_URL: 'http://localhost:3000', HOST: '127.0.0.1' })).toBe('play_money')
  // The public address alone says nothing about the reach of the port.
  expect(provider({ PUBLIC_URL: 'http://localhost:3000', HOST: '0.0.0.0' })).toBeUndefined()
  expect(provider({ SANDBOX_PAYMENTS: 'off' })).toBeUndefined()
  expect(provider({ HOST: '0.0.0.0' })).toBeUndefined()
  expect(provider({ PUBLIC_URL: 'https://hop.example' })).toBeUndefined()
  expect(provider({ PUBLIC_URL: 'https://127.0.0.1.hop.example' })).toBeUndefined()
  expect(provider({ PUBLIC_URL: 'https://hop.example', SANDBOX_PAYMENTS: 'on' })).toBe('play_money')
  expect(provider(stripe)).toBe('stripe')
  expect(problemsOf({ ...stripe, SANDBOX_PAYMENTS: 'on' })).toEqual([
    'SANDBOX_PAYMENTS: cannot be on beside STRIPE_SECRET_KEY',
  ])
})

it('the configuration accepts a valid signing key', () => {
  expect(problemsOf({ JWT_SIGNING_KEY: JSON.stringify(aKey()) })).toEqual([])
})

it('the configuration lists contradictions together with other problems', () => {
  const problems = problemsOf({
    LOG_LEVEL: 'loud',
    JWT_SIGNING_KEY: 'foo',
    CLICK_FSYNC: 'on',
    CLICK_MODE: 'sync',
  })
  for (const name of ['LOG_LEVEL', 'JWT_SIGNING_KEY', 'CLICK_FSYNC']) {
    expect(problems.filter((problem) => problem.startsWith(`${name}:`))).toHaveLength(1)
  }
})

it('the configuration refuses a public address that contains a user name', () => {
  expect(problemsOf({ PUBLIC_URL: 'https://u:p@go.example' })).toHaveLength(1)
})

function aKey(): JsonWebKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

it('the configuration accepts a mail server with a sender', () => {
  const { mail } = createConfig(
    parseVariables({
      SMTP_URL: 'smtps://me:p%40ss@mail.example:465',
      MAIL_FROM: 'Hop <go@mail.example>',
    }),
  )
  expect(mail).toMatchObject({
    smtpUrl: 'smtps://me:p%40ss@mail.example:465',
    from: { name: 'Hop', address: 'go@mail.example' },
  })
  expect(createConfig(parseVariables({ MAIL_FROM: 'go@mail.example' })).mail).toMatchObject({
    smtpUrl: undefined,
    from: { name: 'Hoplet', address: 'go@mail.example' },
  })
})

it.each<[Record<string, string>, string]>([
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM: is missing, though SMTP_URL is set'],
  [{ SMTP_URL: 'http://mail.example', MAIL_FROM: 'a@b.c' }, 'SMTP_URL: '],
  [{ SMTP_URL: 'smtp://', MAIL_FROM: 'a@b.c' }, 'SMTP_URL: '],
  [{ SMTP_URL: 'smtp://mail.example/path', MAIL_FROM: 'a@b.c' }, 'SMTP_URL: '],
  ...[
    'nobody',
    'a@b.c, d@e.f',
    'Hop <a@b.c',
    'Hop <a@b.c>, <d@e.f>',
    'A\r\nBcc: x <a@b.c>',
    '<a@b\n>',
  ].map((from): [Record<string, string>, string] => [{ MAIL_FROM: from }, 'MAIL_FROM: ']),
])('the configuration refuses the mail settings %j', (variables, problem) => {
  expect(problemsOf(variables)).toEqual([expect.stringContaining(problem)])
})

it('the configuration takes name servers and addresses for domains, and nothing else there', () => {
  const { domains } = createConfig(
    parseVariables({
      DNS_SERVERS: '1.1.1.1, 10.0.0.53:5353,[2606:4700:4700::1111]:53,2001:db8::53',
      DOMAIN_ADDRESSES: '192.0.2.1, 2001:DB8:0:0::1',
      DOMAIN_PROBE: 'off',
    }),
  )
  expect(domains).toMatchObject({
    dns: { servers: ['1.1.1.1', '10.0.0.53:5353', '[2606:4700:4700::1111]:53', '2001:db8::53'] },
    // As DNS answers have it.
    addresses: ['192.0.2.1', '2001:db8::1'],
    probes: false,
  })
  for (const DNS_SERVERS of ['dns.example', '1.1.1.1:0', '1.1.1.1:99999', '1.1.1.1;8.8.8.8', ','])
    expect(problemsOf({ DNS_SERVERS })).toEqual([expect.stringMatching(/^DNS_SERVERS: must be/)])
  for (const DOMAIN_ADDRESSES of ['hop.example', '192.0.2.1:443', '192.0.2.0/24'])
    expect(problemsOf({ DOMAIN_ADDRESSES })).toEqual([
      expect.stringMatching(/^DOMAIN_ADDRESSES: must be/),
    ])
})
