import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { rightsOfRole, type SpaceRole, spaceRoles } from '#domain/access/space-roles.ts'
import { seededRandom } from '#test/seeded-random.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { actingFor } from './space-client.ts'

// Random people act for random accounts on random rows. A row is seen or changed only by a person with the right, for the account that
// it belongs to; every other row of every account stays as it is.

/** Rows of one account, by relation. */
type Rows = Record<string, string>

interface World {
  accounts: Record<string, { rows: Rows; roles: Map<string, SpaceRole> }>
  people: Account[]
}

interface Operation {
  name: string
  /** Undefined: only owners. */
  right: OAuthScope | undefined
  /** Only the account of this row may change. */
  relation: string
  ask(who: Account, rows: Rows, n: number): Promise<{ status: number; body: unknown }>
  writes: boolean
}

const relations: [
  name: string,
  read: OAuthScope | undefined,
  write: OAuthScope | undefined,
  column: string,
  value: (n: number) => unknown,
][] = [
  ['shortened_urls', 'links:read', 'links:write', 'note', (n) => `note ${n}`],
  ['popups', 'popups:read', 'popups:write', 'description', (n) => `words ${n}`],
  ['bio_pages', 'bio:read', 'bio:write', 'description', (n) => `words ${n}`],
  ['tags', 'links:read', 'links:write', 'color', (n) => `#0000${String(10 + (n % 90))}`],
  ['leads', 'leads:read', 'leads:write', 'tags', (n) => [`tag ${n}`]],
  ['utm_templates', 'links:read', 'links:write', 'name', (n) => `name ${n}`],
  ['qr_looks', 'links:read', 'links:write', 'name', (n) => `name ${n}`],
  ['day_notes', 'analytics:read', 'links:write', 'text', (n) => `text ${n}`],
  ['shared_reports', undefined, undefined, 'title', (n) => `title ${n}`],
]

let server: TestServer
let world: World

const rpc = (who: Account, name: string, body: object) =>
  send(server, who, 'POST', `rpc/${name}`, body)
const fetched = async (who: Account, path: string) => {
  const response = await fetch(`${server.url}/functions/v1/${path}`, {
    headers: who.headers,
    signal: AbortSignal.timeout(10_000),
  })
  // The first bytes of a stream say that it is open.
  const reader = response.body?.getReader()
  const text = new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel().catch(() => {})
  const lines = text.trim().split('\n').slice(1)
  const isOpen = response.status === 200
  return {
    status: response.status,
    body: isOpen && (path.startsWith('live') || lines.length >= 0) ? [text] : null,
  }
}

const operations: Operation[] = [
  ...relations.flatMap(([relation, read, write, column, value]): Operation[] => [
    {
      name: `read ${relation}`,
      relation,
      right: read,
      writes: false,
      ask: (who, rows) =>
        // By its id everybody reads a popup.
        send(server, who, 'GET', `${relation}?user_id=eq.${rows['account']}&select=id`),
    },
    {
      name: `change ${relation}`,
      relation,
      right: write,
      writes: true,
      ask: (who, rows, n) =>
        send(server, who, 'PATCH', `${relation}?id=eq.${rows[relation]}`, { [column]: value(n) }),
    },
  ]),
  {
    name: 'insert a tag with the account of the row',
    relation: 'tags',
    right: 'links:write',
    writes: true,
    ask: (who, rows, n) =>
      send(server, who, 'POST', 'tags', { user_id: rows['account'], name: `new ${n}` }),
  },
  {
    name: 'create_placements',
    relation: 'shortened_urls',
    right: 'links:write',
    writes: true,
    ask: (who, rows, n) =>
      rpc(who, 'create_placements', { _link: rows['shortened_urls'], _names: [`print ${n}`] }),
  },
  {
    name: 'save_link_rules',
    relation: 'shortened_urls',
    right: 'links:write',
    writes: true,
    ask: async (who, rows, n) =>
      rpc(who, 'save_link_rules', {
        _link: rows['shortened_urls'],
        _rules: [{ when: [{ fact: 'country', is: ['DE'] }], to: `https://example.com/${n}` }],
        _version: (
          await server.sql<{ v: string }>(
            'select rules_version as v from app.shortened_urls where id = $1',
            [rows['shortened_urls']],
          )
        )[0]?.v,
      }),
  },
  {
    name: 'link_rules',
    relation: 'shortened_urls',
    right: 'links:read',
    writes: false,
    ask: (who, rows) => rpc(who, 'link_rules', { _link: rows['shortened_urls'] }),
  },
  {
    name: 'tag_leads',
    relation: 'leads',
    right: 'leads:write',
    writes: true,
    ask: (who, rows, n) => rpc(who, 'tag_leads', { _ids: [rows['leads']], _add: [`bulk ${n}`] }),
  },
  {
    name: 'click_hits',
    relation: 'shortened_urls',
    right: 'analytics:read',
    writes: false,
    ask: async (who, rows) => {
      const { status } = await rpc(who, 'click_hits', {
        _scope: 'link',
        _id: rows['shortened_urls'],
        _from: '2026-01-01',
        _to: '2026-01-02',
      })
      return { status, body: [status] }
    },
  },
  {
    name: 'hits as CSV',
    relation: 'shortened_urls',
    right: 'analytics:read',
    writes: false,
    ask: (who, rows) =>
      fetched(who, `clicks.csv?scope=link&id=${rows['shortened_urls']}&from=2026-01-01`),
  },
  {
    name: 'live hits',
    relation: 'shortened_urls',
    right: 'analytics:read',
    writes: false,
    ask: (who, rows) => fetched(who, `live?scope=link&id=${rows['shortened_urls']}`),
  },
  {
    name: 'the QR code',
    relation: 'shortened_urls',
    right: 'links:read',
    writes: false,
    ask: (who, rows) => fetched(who, `qr-code?code=${rows['code']}&format=svg`),
  },
  {
    name: 'a webhook',
    relation: 'webhooks',
    right: undefined,
    writes: false,
    ask: async (who, rows) => fetched(who, `webhooks/${rows['webhooks']}/deliveries`),
  },
]

beforeAll(async () => {
  server = await startTestServer()
  const people = [
    await makeAccount(server, { plan: 'business' }),
    await makeAccount(server, { plan: 'business' }),
    await makeAccount(server, { plan: 'business' }),
  ]
  const accounts: World['accounts'] = {}
  for (const { id } of people)
    accounts[id] = { rows: await plant(id), roles: new Map([[id, 'owner']]) }
  for (const roles of [
    ['owner', 'editor', 'viewer'],
    ['editor', 'owner', undefined],
    ['viewer', undefined, 'owner'],
  ] as const) {
    const [made] = await server.sql<{ id: string }>(
      `insert into auth.users (kind) values ('space') returning id`,
    )
    const id = made?.id ?? ''
    await server.sql(`update app.user_plans set plan_type = 'business' where user_id = $1`, [id])
    await server.sql('insert into app.spaces (id, slug) values ($1, $2)', [
      id,
      `s-${id.slice(0, 8)}`,
    ])
    const members = new Map<string, SpaceRole>()
    for (const [index, role] of roles.entries()) {
      const person = people[index]
      if (role === undefined || !person) continue
      members.set(person.id, role)
      await server.sql(
        'insert into app.members (account_id, person_id, role) values ($1, $2, $3)',
        [id, person.id, role],
      )
    }
    accounts[id] = { rows: await plant(id), roles: members }
  }
  world = { accounts, people }
})
afterAll(() => server.close())

/** One row of each relation. */
async function plant(account: string): Promise<Rows> {
  const short = account.slice(0, 8)
  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row)
    const [made] = await server.sql<{ id: string }>(
      `insert into app.${table} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')}) returning id`,
      Object.values(row),
    )
    return made?.id ?? ''
  }
  const user_id = account
  const shortened_urls = await insert('shortened_urls', {
    user_id,
    short_code: `l-${short}`,
    original_url: 'https://example.com/',
  })
  await server.sql('insert into app.audiences (user_id) values ($1)', [account])
  const popups = await insert('popups', { user_id, title: 'Popup', description: 'words' })
  return {
    account,
    code: `l-${short}`,
    shortened_urls,
    popups,
    bio_pages: await insert('bio_pages', {
      user_id,
      slug: `b-${short}`,
      title: 'Page',
      description: 'words',
    }),
    tags: await insert('tags', { user_id, name: 'tag' }),
    leads: await insert('leads', {
      user_id,
      popup_id: popups,
      popup_version: 1,
      email: `${short}@example.com`,
      consent_text: 'Yes',
      code: 'c',
      source: 's',
      state: 'confirmed',
      unsubscribe_token: account,
    }),
    utm_templates: await insert('utm_templates', { user_id, name: 'template' }),
    qr_looks: await insert('qr_looks', { user_id, name: 'look', look: '{}' }),
    day_notes: await insert('day_notes', { user_id, day: '2026-01-01', text: 'text' }),
    shared_reports: await insert('shared_reports', { link_id: shortened_urls }),
    webhooks: await insert('webhooks', {
      user_id,
      url: 'https://example.com/',
      events: ['link.created'],
      secret: 'x',
    }),
  }
}

/** A digest of the rows of each account. */
async function stateOf(): Promise<Map<string, string>> {
  const tables = [
    'shortened_urls',
    'popups',
    'bio_pages',
    'tags',
    'leads',
    'utm_templates',
    'qr_looks',
    'day_notes',
    'shared_reports',
    'names',
    'placements',
  ]
  const state = new Map<string, string>()
  for (const table of tables) {
    const owner = table === 'names' ? 'owner_id' : 'user_id'
    const rows = await server.sql<{ account: string; digest: string }>(
      `select ${owner} as account, md5(string_agg(t::text, ',' order by t::text)) as digest from app.${table} t where ${owner} is not null group by 1`,
    )
    for (const { account, digest } of rows)
      state.set(account, `${state.get(account) ?? ''}${table}${digest}`)
  }
  return state
}

const isAnswered = ({ status, body }: { status: number; body: unknown }) =>
  status >= 200 && status < 300 && (!Array.isArray(body) || body.length > 0) && body !== null

/** Differences between the acts and the rights. */
async function differences(count: number, seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const found: string[] = []
  let allowed = 0
  for (let n = 0; n < count; n++) {
    const person = pick(world.people)
    const acting = pick(Object.keys(world.accounts))
    // Mostly a row of the account, so that rights matter.
    const owner = random() < 0.6 ? acting : pick(Object.keys(world.accounts))
    const operation = pick(operations)
    const { rows = {} } = world.accounts[owner] ?? {}
    const role = world.accounts[acting]?.roles.get(person.id)
    const rights = role && (rightsOfRole[role] ?? undefined)
    const hasRight =
      role === 'owner' ||
      (operation.right !== undefined && rights?.includes(operation.right) === true)
    const may = hasRight && owner === acting
    if (may) allowed++
    const before = operation.writes ? await stateOf() : undefined
    const answer = await operation.ask(actingFor(acting, person), rows, seed * 10_000 + n)
    const act = `${n}: ${role ?? 'stranger'} ${operation.name} of ${owner === acting ? 'the' : 'another'} account`
    if (before) {
      const after = await stateOf()
      const changed = Object.keys(world.accounts).filter((id) => before.get(id) !== after.get(id))
      if (changed.join() !== (may ? owner : ''))
        found.push(`${act}: changed ${changed.length}, ${JSON.stringify(answer)}`)
    } else if (isAnswered(answer) !== may) found.push(`${act}: ${JSON.stringify(answer)}`)
    if (role === undefined && answer.status !== 403) found.push(`${act}: ${answer.status}`)
  }
  // The control: enough acts that succeed.
  expect(allowed).toBeGreaterThan(count / 8)
  expect(spaceRoles).toHaveLength(3)
  return found
}

it(
  'each person sees and changes the rows of the account that they act for, as far as their role goes',
  { timeout: 240_000 },
  async () => {
    expect(await differences(250, 1)).toEqual([])
  },
)

it(
  'each person does so in 3,000 random acts',
  { tags: ['extended'], timeout: 900_000 },
  async () => {
    expect(await differences(3_000, 2)).toEqual([])
  },
)

it('a policy that is gone is noticed', { tags: ['extended'], timeout: 240_000 }, async () => {
  await server.sql(
    'create policy open_tags on app.tags to authenticated using (true) with check (true)',
  )
  await server.sql(
    'create policy open_popups on app.popups to authenticated using (true) with check (true)',
  )
  const found = await differences(600, 3)
  await server.sql('drop policy open_tags on app.tags')
  await server.sql('drop policy open_popups on app.popups')
  expect(found.length).toBeGreaterThan(0)
})
