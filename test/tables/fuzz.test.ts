import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'

let server: TestServer
let callers: ({ headers: Record<string, string> } | undefined)[]
let ann: Account

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeAccount(server, { plan: 'business' })
  callers = [undefined, ann, { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }]
  await send(server, ann, 'POST', 'popups', { user_id: ann.id, title: 'One' })
  await send(server, ann, 'POST', 'shortened_urls', {
    user_id: ann.id,
    original_url: 'https://example.com/',
    short_code: 'fuzzed',
  })
})
afterAll(() => server.close())

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

/** Requests that embed what is related, with what clients write around it. */
const related = fc
  .constantFrom(...apiCatalog.foreignKeys)
  .chain(({ from, to }) => fc.constantFrom([from, to] as const, [to, from] as const))
  .chain(([path, name]) => {
    const columnsOf = (relation: string) => relations.get(relation)?.columns ?? []
    return fc.record({
      caller: fc.constantFrom(0, 1, 2),
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
    caller: fc.constantFrom(0, 1, 2),
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

const batch = 25
const batches = 200

it(`answers ${batch * batches} strange requests without one error of its own`, async () => {
  const statuses = new Map<number, number>()
  let rows = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: batch, maxLength: batch }),
      async (requests) => {
        await Promise.all(
          requests.map(async (one) => {
            const query = new URLSearchParams(
              one.parameters.map(([name, text]) => [name.toWellFormed(), text.toWellFormed()]),
            )
            const where = `${one.path}?${query}`
            if (where.length > 7_000) return
            const writes = ['POST', 'PATCH', 'PUT'].includes(one.method)
            const answer = await send(
              server,
              callers[one.caller],
              one.method,
              where,
              writes ? one.body : undefined,
              Object.fromEntries(one.headers),
            )
            if (answer.status >= 500)
              throw new Error(
                `${answer.status} ${JSON.stringify(answer.body)} to ${one.method} ${where}`,
              )
            if (Array.isArray(answer.body)) rows = Math.max(rows, answer.body.length)
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          }),
        )
      },
    ),
    { numRuns: batches, endOnFailure: true },
  )
  expect(rows).toBeLessThanOrEqual(1_000)
  // The requests must not all die in the parser, or this shows nothing.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(400)
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  expect(
    await server.sql(
      `select 1 from pg_tables where schemaname = 'app' and tablename in ('popups', 'names')`,
    ),
  ).toHaveLength(2)
})
