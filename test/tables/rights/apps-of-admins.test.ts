import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiKeyScopes } from '#domain/access/api-keys.ts'
import type { ApiFunction } from '#server/tables/catalog/catalog.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, sendPatiently } from '../accounts.ts'
import { embeddedCells, embeddedPath } from './embedding-matrix.ts'
import { keyOf, lookupColumnOf, makeWorld, type World } from './matrix.ts'

// Decision 0062: an API key or an app of an admin learns no more of Ann's rows than one of a stranger. A new relation or
// function is asked by itself, with arguments that name Ann's rows.

interface Asker {
  headers: Record<string, string>
}

let server: TestServer
let world: World
let stranger: Account
beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
  stranger = await makeAccount(server, { plan: 'pro' })
  await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [
    world.accounts.admin.id,
  ])
  await server.sql(
    `insert into app.link_rules (link_id, rules) values ($1, '[{"id":"r1","to":"https://example.com/de"}]')`,
    [world.keys.shortened_urls],
  )
})
afterAll(async () => {
  await world.close()
  await server.close()
})

async function keyOfAccount({ id }: Account): Promise<Asker> {
  const { text, hash, hint } = newApiKeyText()
  await server.sql(
    `insert into auth.api_keys (user_id, name, hash, hint, scope) values ($1, 'all', $2, $3, $4)`,
    [id, hash, hint, apiKeyScopes.join(' ')],
  )
  return { headers: { authorization: `Bearer ${text}` } }
}

async function appOf({ claims }: Account): Promise<Asker> {
  const scope = [...apiKeyScopes, 'profile', 'email'].join(' ')
  const token = await server.context.tokens.sign(
    { ...claims, client_id: 'c0ffee00-0000-4000-8000-000000000000', scope },
    3_600,
  )
  return { headers: { apikey: server.anonKey, authorization: `Bearer ${token}` } }
}

/** Every column of Ann's row, by its key and by the public look-up, and of each row embedded in it. */
const readings = (): string[] => [
  ...[...apiCatalog.relations.values()].flatMap(({ name, columns }) => {
    const lookup = lookupColumnOf(name)
    const filters = [
      `${keyOf(name)}=eq.${world.keys[name]}`,
      ...(lookup ? [`${lookup}=eq.${world.lookups[name]}`] : []),
    ]
    return filters.flatMap((filter) =>
      columns.map((column) => `${name}?select=${column}&${filter}`),
    )
  }),
  ...embeddedCells().map((cell) => embeddedPath(world, cell)),
]

/** Arguments that name Ann's rows, by their names, else by their types. */
function argumentsFor({ name, args }: ApiFunction): Record<string, unknown> {
  const { keys, accounts } = world
  const byName: Record<string, unknown> = {
    _scope: name.includes('popup') ? 'popup' : 'link',
    _id: name.includes('popup') ? keys.popups : keys.shortened_urls,
    _link: keys.shortened_urls,
    _popup: keys.popups,
    _user: accounts.owner.id,
    _kind: 'link',
    _by: 'total',
    _from: '2026-01-01T00:00:00Z',
    _to: '2026-01-02T00:00:00Z',
    _now: '2026-01-02T00:00:00Z',
    _visit: { country: 'DE' },
    _version: 0,
    _rules: [],
    page: { id: keys.bio_pages, slug: 'ann', title: 'Taken over' },
  }
  const byType: Record<string, unknown> = {
    uuid: keys.shortened_urls,
    'uuid[]': [keys.leads],
    text: 'ann-link',
    'text[]': ['ann'],
    jsonb: {},
    date: '2026-01-01',
    'timestamp with time zone': '2026-01-01T00:00:00Z',
    boolean: true,
  }
  const wanted = args.filter((arg) => !arg.optional || arg.name in byName)
  return Object.fromEntries(
    wanted.map((arg) => [
      arg.name,
      arg.name in byName ? byName[arg.name] : (byType[arg.type] ?? 1),
    ]),
  )
}

/** The answer, in which the caller is just "me". */
async function answerTo(who: Asker, me: Account, path: string, body?: unknown): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const sent = await sendPatiently(server, who, method, path, body)
  return JSON.stringify([sent.status, sent.body]).replaceAll(me.id, 'me')
}

/** The columns that tell a stranger from an admin: some reading of each is in every sample. */
const telling = /click_count|visit_count/

async function answersTo(who: Asker, me: Account, oneIn: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  for (const [at, path] of readings().entries())
    if (at % oneIn === 0 || (telling.test(path) && !path.includes('select=e:')))
      answers.set(path, await answerTo(who, me, path))
  for (const each of apiCatalog.functions.values()) {
    // An admin of this name would act; apps of anybody are refused, as the signed matrix of keys says.
    if (each.name.startsWith('admin_')) continue
    const path = `rpc/${each.name}`
    answers.set(path, await answerTo(who, me, path, argumentsFor(each)))
  }
  return answers
}

const differing = (some: Map<string, string>, others: Map<string, string>) =>
  [...some].filter(([path, answer]) => others.get(path) !== answer).map(([path]) => path)

async function expectNoMoreThanAStranger(oneIn: number): Promise<void> {
  const { admin } = world.accounts
  const answers = (who: Asker, me: Account) => answersTo(who, me, oneIn)
  const ofStranger = await answers(await keyOfAccount(stranger), stranger)
  const ofKey = await answers(await keyOfAccount(admin), admin)
  expect(differing(ofKey, ofStranger)).toEqual([])
  // An app has the scopes `profile` and `email` besides.
  const appOfStranger = await answers(await appOf(stranger), stranger)
  expect(differing(await answers(await appOf(admin), admin), appOfStranger)).toEqual([])
  const control = differing(await answers(admin, admin), ofStranger)
  expect(control).toEqual(
    expect.arrayContaining([
      'rpc/link_rules',
      'rpc/simulate_visit',
      'rpc/link_history',
      'rpc/click_report',
      'shortened_urls?select=click_count&short_code=eq.ann-link',
      'bio_pages?select=visit_count&slug=eq.ann',
    ]),
  )
  // Embedded rows tell no admin from a stranger (embedding-matrix.txt), but the owner from both.
  if (oneIn !== 1) return
  const { owner } = world.accounts
  const ofOwner = differing(await answers(owner, owner), ofStranger)
  expect(ofOwner.some((path) => path.includes('select=e:'))).toBe(true)
}

it('keys and apps of an admin are answered like those of a stranger, and the admin is not: a sample', () =>
  expectNoMoreThanAStranger(24))
it('and so is every column, also of embedded rows', { tags: ['extended'] }, () =>
  expectNoMoreThanAStranger(1),
)
