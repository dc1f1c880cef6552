import { costlyRules, longestRules, mixedRules } from './rules.ts'
import type { MeasuredServer } from './server.ts'

/** Prepares a request, and returns the function that sends it and says how it was answered. */
type CostlyWrite = (server: MeasuredServer) => Promise<() => Promise<string>>

const destination = 'https://example.com/own'
const list = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))

interface Link {
  id: string
  external_id: string
}

let runs = 0

/** As the superuser without triggers: no plan allows as many in a day. */
async function makeLinks({ person, database }: MeasuredServer, count: number): Promise<Link[]> {
  const run = ++runs
  await database.query('begin')
  await database.query('set local session_replication_role = replica')
  const { rows } = await database.query<Link>(
    `insert into app.shortened_urls (user_id, short_code, original_url, is_custom, external_id)
      select $1, 'costs-' || $3 || '-' || n, $2, true, $3 || '-' || n from generate_series(1, $4::int) n
      returning id, external_id`,
    [person.id, destination, String(run), count],
  )
  await database.query(
    `insert into app.names (name, kind, owner_id)
      select 'costs-' || $2 || '-' || n, 'link', $1 from generate_series(1, $3::int) n`,
    [person.id, String(run), count],
  )
  await database.query('commit')
  return rows
}

/** As many expectations as a link may have, with as long a visit; written past the door, in one statement. */
async function expect({ database }: MeasuredServer, links: readonly Link[]) {
  const visit = {
    user_agent: `Mozilla/5.0 ${'a'.repeat(900)}`,
    query: 'a=1&'.repeat(500),
    languages: 'de-de-de,'.repeat(100),
    city: 'Berlin',
    address: '2001:db8::1',
    first_visit: true,
    share: 50,
  }
  await database.query(
    `insert into app.link_expectations (link_id, name, visit, expected_url)
      select l, 'Number ' || n, $2::jsonb || jsonb_build_object('user_agent', $3 || l || n), $4
      from unnest($1::uuid[]) l, generate_series(1, 20) n`,
    [links.map(({ id }) => id), JSON.stringify(visit), visit.user_agent, destination],
  )
}

async function giveRules({ database }: MeasuredServer, links: readonly Link[], rules: unknown) {
  const ids = links.map(({ id }) => id)
  await database.query(
    `insert into app.link_rules (link_id, rules) select l, $2::jsonb from unnest($1::uuid[]) l`,
    [ids, JSON.stringify(rules)],
  )
  await database.query('update app.shortened_urls set rules_version = 1 where id = any ($1)', [ids])
}

const withIds = (rules: readonly unknown[]) =>
  rules.map((rule, i) => ({ ...Object(rule), id: `r${i}` }) as unknown)

const statuses = async (
  { ask }: MeasuredServer,
  path: string,
  body: unknown,
  method = 'POST',
): Promise<string> => {
  const answer = await ask<unknown>(path, body, { method, allowed: [400, 409, 413, 429, 503] })
  const { message } = Object(answer) as { message?: string }
  if (message !== undefined) return `refused: ${message.slice(0, 80)}`
  if (!Array.isArray(answer)) return 'done'
  const failed = answer.filter((row) => (row as { status?: string }).status === 'failed').length
  return `${answer.length} rows, ${failed} refused`
}

const longUrl = (i: number) => `https://example.com/${i}?${'a=1&'.repeat(200)}`

/** Changes of links with expectations, by a PATCH that breaks none. */
const changing =
  (count: number, rules: readonly unknown[] | undefined): CostlyWrite =>
  async (server) => {
    const links = await makeLinks(server, count)
    if (rules) await giveRules(server, links, withIds(rules))
    await expect(server, links)
    const range = `external_id=like.${links[0]?.external_id.split('-')[0]}-*`
    return () =>
      statuses(
        server,
        `/rest/v1/shortened_urls?${range}`,
        { fallback_url: `https://example.com/${runs}` },
        'PATCH',
      )
  }

const dearest = mixedRules.rules

export const costlyWrites: [string, CostlyWrite][] = [
  [
    'create_links, 1,000 rows of 1 kB',
    async (server) => {
      await server.database.query(
        'update app.user_usage set total_shortened_urls = 0, daily_shortened_urls = 0',
      )
      const links = list(1_000, (i) => ({ original_url: longUrl(i), title: `Number ${i}` }))
      return () => statuses(server, '/rest/v1/rpc/create_links', { _links: links })
    },
  ],
  [
    'create_links, 1,000 rows that are refused',
    async (server) => {
      const links = list(1_000, (i) => ({ original_url: `javascript:${longUrl(i)}` }))
      return () => statuses(server, '/rest/v1/rpc/create_links', { _links: links })
    },
  ],
  [
    'create_links, 1,000 links with 20 expectations each',
    async (server) => {
      const links = await makeLinks(server, 1_000)
      await expect(server, links)
      const rows = links.map(({ external_id }) => ({
        external_id,
        original_url: destination,
        fallback_url: longUrl(runs),
      }))
      return () => statuses(server, '/rest/v1/rpc/create_links', { _links: rows })
    },
  ],
  ['change of 1,000 links with 20 expectations each', changing(1_000, undefined)],
  ['change of 50 links with 20 expectations and all rules each', changing(50, dearest)],
  ['change of 3 links with 20 expectations and all rules each', changing(3, dearest)],
  [
    'new links, 200 in a request',
    async (server) => {
      const rows = list(60, (i) => ({ user_id: server.person.id, original_url: longUrl(i) }))
      return () => statuses(server, '/rest/v1/shortened_urls', rows)
    },
  ],
  [
    'save_link_rules, 64 kB',
    async (server) => {
      const [link] = await makeLinks(server, 1)
      const body = { _link: link?.id, _rules: longestRules(), _version: 0 }
      return () => statuses(server, '/rest/v1/rpc/save_link_rules', body)
    },
  ],
  [
    'save_link_rules with 1,000 time zones',
    async (server) => {
      const [link] = await makeLinks(server, 1)
      const zones = Intl.supportedValuesOf('timeZone')
      const rules = list(50, (i) => ({
        when: list(20, (n) => ({
          fact: 'weekday',
          is: ['monday'],
          zone: zones[(i * 20 + n) % zones.length],
        })),
        to: destination,
      }))
      return () =>
        statuses(server, '/rest/v1/rpc/save_link_rules', {
          _link: link?.id,
          _rules: rules,
          _version: 0,
        })
    },
  ],
  ...[...costlyRules.filter(({ name }) => /^(query|language|share)/.test(name)), mixedRules].map(
    ({ name, rules }): [string, CostlyWrite] => [
      `simulate_visit, rules: ${name}`,
      async (server) => {
        const links = await makeLinks(server, 1)
        await giveRules(server, links, withIds(rules))
        const visit = {
          user_agent: 'Mozilla/5.0 '.repeat(80),
          languages: 'de-de-de,'.repeat(100),
          query: 'a=1&'.repeat(500),
          address: '2001:db8::1',
          share: 5,
        }
        return async () => {
          const body = { _link: links[0]?.id, _visit: visit }
          await server.ask('/rest/v1/rpc/simulate_visit', body)
          return 'done'
        }
      },
    ],
  ),
]
