import fc from 'fast-check'
import { apiKeyScopes } from '#domain/access/api-keys.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { apiCatalog } from '#test/catalog.ts'
import type { TestServer } from '#test/server.ts'
import { makeAccount, send } from '../accounts.ts'

// Requests to the table door that nobody would write by hand, for fuzz.test.ts and in a larger number for bench/requests.ts.

/** By their place in makeCallers: most strange requests as a key are refused at once. */
const callerPlaces = [0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11]
/** In values only: a statement that has it in its text was made of a client's input. */
const valueMarker = 'zq7_value'
/** In Bob's rows, which nobody but Bob, an admin and the service may see. */
const foreignMarker = 'zq7_foreign'

const { relations, functions } = apiCatalog
const everyColumn = [...new Set([...relations.values()].flatMap(({ columns }) => columns))]
const everyName = [...relations.keys(), ...apiCatalog.foreignKeys.map(({ name }) => name)]
const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is', 'isdistinct']
const rareOperators =
  'match EQ cs cd ov sl sr nxr nxl adj fts plfts phfts wfts fts(english) eq(any) like(all) gt(any) eq(x)'.split(
    ' ',
  )

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    `'`,
    `''; drop table app.popups; --`,
    '"',
    '\\',
    '$1',
    '$$',
    '*',
    '%',
    '(',
    ')',
    '((((',
    '{}',
    '{a,b}',
    'null',
    'NaN',
    '-1',
    '1e400',
    '99999999999999999999999',
    '\u0000',
    '\uFFFE',
    'pg_sleep(9)',
    '/**/',
    '(select 1)',
    "E'\\x'",
    'true',
    '2026-01-01',
    'infinity',
    '00000000-0000-0000-0000-000000000000',
    valueMarker,
    `'${valueMarker}'`,
    'app.names',
    '..',
    '::text',
    '->>a',
    'a:b:c',
    ',,',
    ' ',
  ),
  fc.integer().map(String),
  fc.uuid(),
)
const condition = fc
  .tuple(
    fc.constantFrom('', '', 'not.'),
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...operators) },
      { weight: 2, arbitrary: fc.constantFrom('', ...rareOperators) },
    ),
    nasty,
    fc.constantFrom('', '', '(', '"'),
  )
  .map(([not, operator, text, quote]) => {
    if (operator === 'is') return `${not}is.${quote === '' ? 'null' : text}`
    const open = operator === 'in' && quote !== '"' ? '(' : quote
    return `${not}${operator}.${open}${text}${open === '(' ? ')' : open}`
  })

/** The parameters of a query on a relation: mostly its own columns, now and then another's, or nonsense. */
function parametersOf(columns: readonly string[]): fc.Arbitrary<[string, string]> {
  const column = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...columns) },
    { weight: 1, arbitrary: fc.constantFrom(...everyColumn) },
    { weight: 1, arbitrary: nasty },
  )
  const kind = fc.constantFrom('and', 'or', 'not.and', 'not.or')
  const { tree } = fc.letrec<{ tree: string; term: string }>((tie) => ({
    term: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(column, condition).map(([name, text]) => `${name}.${text}`),
      fc.tuple(kind, tie('tree')).map(([name, text]) => `${name}${text}`),
    ),
    tree: fc
      .array(tie('term'), { minLength: 1, maxLength: 3 })
      .map((terms) => `(${terms.join(',')})`),
  }))
  const ending = fc.constantFrom('', '.asc', '.desc', '.nullsfirst', '.desc.nullslast', '.up')
  const { item } = fc.letrec<{ item: string }>((tie) => ({
    item: fc.oneof(
      { depthSize: 'small' },
      column,
      fc.constant('*'),
      fc
        .tuple(column, fc.constantFrom('::text', '::int', '::x', '->a', '->>0', '.sum()', '->>"'))
        .map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom('', '', 'e:', '...'),
          fc.oneof(fc.constantFrom(...everyName), column),
          fc.constantFrom('', '', '!inner', '!left', '!user_id', '!inner!x'),
          fc.array(tie('item'), { maxLength: 3 }),
        )
        .map(([alias, name, hint, inner]) => `${alias}${name}${hint}(${inner.join(',')})`),
    ),
  }))
  const embedded = fc.constantFrom('popups', 'bio_links', 'shortened_urls', 'bio_pages', 'e')
  return fc.oneof(
    fc.tuple(column, condition),
    fc.tuple(kind, tree),
    fc.tuple(
      fc.constant('select'),
      fc.array(item, { maxLength: 3 }).map((all) => all.join(',')),
    ),
    fc.tuple(
      fc.constant('order'),
      fc.tuple(column, ending).map((parts) => parts.join('')),
    ),
    fc.tuple(fc.constantFrom('limit', 'offset'), fc.oneof(fc.nat(2_000).map(String), nasty)),
    fc.tuple(fc.constantFrom('columns', 'on_conflict'), column),
    fc.tuple(
      fc.tuple(embedded, column).map((parts) => parts.join('.')),
      condition,
    ),
    fc.tuple(
      fc
        .tuple(embedded, fc.constantFrom('order', 'limit', 'offset'))
        .map((parts) => parts.join('.')),
      fc.oneof(column, fc.nat(9).map(String)),
    ),
    fc.tuple(
      fc.constant('order'),
      fc.tuple(embedded, column).map(([name, inner]) => `${name}(${inner})`),
    ),
  )
}

/** Requests that embed related rows, with all syntax around them. */
const related = fc
  .constantFrom(...apiCatalog.foreignKeys)
  .chain(({ from, to }) => fc.constantFrom([from, to] as const, [to, from] as const))
  .chain(([path, name]) => {
    const columnsOf = (relation: string) => relations.get(relation)?.columns ?? []
    return fc.record({
      caller: fc.constantFrom(...callerPlaces),
      method: fc.constant('GET'),
      path: fc.constant(path),
      parameters: fc
        .tuple(
          fc.constantFrom('', 'e:', '...'),
          fc.constantFrom('', '!inner'),
          fc.subarray([...columnsOf(name)], { minLength: 1, maxLength: 4 }),
          parametersOf(columnsOf(path)).filter(([key]) => key !== 'select'),
          parametersOf(columnsOf(name)).filter(([key]) => key !== 'select'),
        )
        .map(([alias, hint, inner, own, other]): [string, string][] => [
          ['select', `*,${alias}${name}${hint}(${inner.join(',')})`],
          own,
          [`${alias === 'e:' ? 'e' : name}.${other[0]}`, other[1]],
        ]),
      headers: fc.array(header, { maxLength: 1 }),
      body: fc.constant(undefined),
    })
  })

const header = fc.oneof(
  fc.constantFrom<[string, string][]>(
    ['prefer', 'return=representation'],
    ['prefer', 'return=headers-only'],
    ['prefer', 'count=exact'],
    ['prefer', 'count=planned'],
    ['prefer', 'count=estimated'],
    ['prefer', 'resolution=merge-duplicates'],
    ['prefer', 'resolution=ignore-duplicates, return=representation'],
    ['prefer', 'missing=default,return=representation'],
    ['prefer', 'handling=strict, max-affected=0'],
    ['prefer', 'tx=rollback; x'],
    ['accept', 'application/vnd.pgrst.object+json'],
    ['accept', 'application/vnd.pgrst.array+json;nulls=stripped'],
    ['accept', 'text/csv'],
    ['range', '0-5'],
    ['range', '7-2'],
    ['range', '99999999999-'],
    ['accept-profile', 'app'],
    ['content-type', 'text/plain'],
  ),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(nasty, { maxLength: 2 }),
  fc.dictionary(nasty, nasty, { maxKeys: 2 }),
)
function bodyOf(columns: readonly string[]): fc.Arbitrary<unknown> {
  const row = fc
    .array(fc.tuple(fc.constantFrom(...columns), value), { maxLength: 4 })
    .map((pairs) => Object.fromEntries(pairs))
  return fc.oneof(row, row, fc.array(row, { maxLength: 3 }), value)
}

function requestTo(path: string, methods: string[], columns: readonly string[]) {
  return fc.record({
    caller: fc.constantFrom(...callerPlaces),
    method: fc.constantFrom(...methods),
    path: fc.constant(path),
    parameters: fc.array(parametersOf(columns), { maxLength: 3 }),
    headers: fc.array(header, { maxLength: 1 }),
    body: bodyOf(columns),
  })
}

const methods = ['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE']
const request = fc.oneof(
  { weight: 4, arbitrary: related },
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...relations)
      .chain(([name, { columns }]) => requestTo(name, methods, columns)),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...functions).chain(([name, { args, stable }]) =>
      requestTo(
        `rpc/${name}`,
        stable ? ['POST', 'GET'] : ['POST'],
        // A function without arguments is asked with foreign ones.
        args.length > 0 ? args.map((arg) => arg.name) : ['page'],
      ),
    ),
  },
  {
    weight: 1,
    // The URL parser would take a path of dots out of the door.
    arbitrary: nasty
      .filter((text) => !/^\.{1,2}$/.test(text))
      .chain((text) =>
        requestTo(encodeURIComponent(text.toWellFormed()), [...methods, 'PUT'], everyColumn),
      ),
  },
)

interface Caller {
  name: string
  who: { headers: Record<string, string> } | undefined
  /** An admin and the service read rows of others. */
  seesOthers: boolean
}

/** The four roles, and Ann's API keys: one with each scope, and one with all. */
async function makeCallers(server: TestServer): Promise<Caller[]> {
  const ann = await makeAccount(server, { plan: 'business' })
  const bob = await makeAccount(server, { plan: 'business' })
  const admin = await makeAccount(server, { role: 'admin' })
  await send(server, ann, 'POST', 'popups', { user_id: ann.id, title: 'One' })
  await send(server, ann, 'POST', 'shortened_urls', {
    user_id: ann.id,
    original_url: 'https://example.com/',
    short_code: 'fuzzed',
  })
  const url = `https://example.com/${foreignMarker}`
  await send(server, bob, 'POST', 'shortened_urls', { user_id: bob.id, original_url: url })
  await send(server, bob, 'POST', 'popups', { user_id: bob.id, title: foreignMarker })
  await send(server, bob, 'POST', 'rpc/save_bio_page', {
    page: { slug: `bob-${bob.id}`, title: foreignMarker },
    links: [{ title: foreignMarker, url }],
  })
  const scopes = [...apiKeyScopes, apiKeyScopes.join(' ')]
  const keys = await Promise.all(scopes.map((scope) => makeKey(server, ann.id, scope)))
  const service = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
  return [
    { name: 'anon', who: undefined, seesOthers: false },
    { name: 'ann', who: ann, seesOthers: false },
    { name: 'admin', who: admin, seesOthers: true },
    { name: 'service', who: service, seesOthers: true },
    ...keys,
  ]
}

async function makeKey(server: TestServer, owner: string, scope: string): Promise<Caller> {
  const { text, hash, hint } = newApiKeyText()
  await server.sql(
    `insert into auth.api_keys (user_id, name, hash, hint, scope) values ($1, 'fuzz', $2, $3, $4)`,
    [owner, hash, hint, scope],
  )
  const who = { headers: { authorization: `Bearer ${text}` } }
  return { name: `key ${scope}`, who, seesOthers: false }
}

interface Outcome {
  /** How often each status was answered. */
  statuses: Map<number, number>
  /** The most rows in one answer. */
  rows: number
  /** In milliseconds, and the request that took them. */
  slowest: { ms: number; request: string }
  /** Answers below 300, by caller. */
  served: Map<string, number>
  /** How many different statements the door sent to the database. */
  statements: number
}

const allowedStatement = /^\s*(select|with|insert|update|delete)\b/i
const batch = 25

/**
 * Sends that many requests, 25 at once.
 *
 * @throws for an answer with 5xx, a row of another person, a statement of another shape or with a client's words in it
 */
export async function sendStrangeRequests(server: TestServer, count: number): Promise<Outcome> {
  const callers = await makeCallers(server)
  const statements = watchStatements(server)
  const outcome: Outcome = {
    statuses: new Map(),
    rows: 0,
    slowest: { ms: 0, request: '' },
    served: new Map(),
    statements: 0,
  }
  const sendOne = async (one: typeof request extends fc.Arbitrary<infer One> ? One : never) => {
    const query = new URLSearchParams(
      one.parameters.map(([name, text]) => [name.toWellFormed(), text.toWellFormed()]),
    )
    const path = `${one.path}?${query}`
    if (path.length > 7_000) return
    const caller = callers[one.caller] as Caller
    const body = ['POST', 'PATCH', 'PUT'].includes(one.method) ? one.body : undefined
    const headers = Object.fromEntries(one.headers)
    const startedAt = performance.now()
    const answer = await send(server, caller.who, one.method, path, body, headers)
    const ms = performance.now() - startedAt
    const said = `${one.method} ${path} as ${caller.name}`
    const text = JSON.stringify(answer.body) ?? ''
    if (answer.status >= 500) throw new Error(`${answer.status} ${text} to ${said}`)
    if (!caller.seesOthers && text.includes(foreignMarker)) throw new Error(`Bob's row to ${said}`)
    if (ms > outcome.slowest.ms) outcome.slowest = { ms, request: said }
    if (Array.isArray(answer.body)) outcome.rows = Math.max(outcome.rows, answer.body.length)
    add(outcome.statuses, answer.status)
    if (answer.status < 300) add(outcome.served, caller.name)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: batch, maxLength: batch }),
      async (requests) => {
        await Promise.all(requests.map(sendOne))
      },
    ),
    { numRuns: Math.ceil(count / batch), endOnFailure: true },
  )
  outcome.statements = statements.size
  for (const text of statements) {
    if (!allowedStatement.test(text)) throw new Error(`A statement of another shape: ${text}`)
    if (text.includes(valueMarker)) throw new Error(`A value in the text of a statement: ${text}`)
  }
  return outcome
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** The texts of all statements within the transactions of API roles, from now on. */
function watchStatements({ context: { database } }: TestServer): Set<string> {
  const texts = new Set<string>()
  const { transactionAs } = database
  database.transactionAs = (caller, work) =>
    transactionAs(caller, (db) =>
      work({
        ...db,
        query: (text, values) => {
          if (/^(anon|authenticated|service_role)$/.test(caller.role)) texts.add(text)
          return db.query(text, values)
        },
      }),
    )
  return texts
}
