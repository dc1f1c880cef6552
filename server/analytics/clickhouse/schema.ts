import type { ClickHouseClient } from '@clickhouse/client'
import { ConfigurationError } from '../../env.ts'
import { type ClickHouseSettings, onCluster, openClickHouse, selectRows } from './client.ts'
import { explainError } from './start-check.ts'

/** How many of the last blocks ClickHouse knows again by their token (docs/decisions/0083). */
const deduplicationWindow = 10_000

interface Names {
  cluster: string
  /** The engine of a table, replicated in a cluster. */
  engine: (table: string) => string
  /** Settings that make tokens count. */
  deduplicated: string
}
type Step = (names: Names) => string

const hitColumns = `at DateTime64(6, 'UTC'), visitor Int64, scope Int32, account Int32,
      verdict LowCardinality(String), source LowCardinality(String),
      device LowCardinality(String), browser LowCardinality(String), system LowCardinality(String),
      language LowCardinality(String), bot LowCardinality(String),
      country LowCardinality(String), region LowCardinality(String), city LowCardinality(String),
      referrer String, page String,
      utm_source String, utm_medium String, utm_campaign String, utm_term String, utm_content String,
      delivery Int64 codec(Delta, ZSTD)`
const hitOrder = 'partition by toYYYYMM(at) order by (account, toDate(at), scope, at)'

/**
 * Counts of an account by UTC day and verdict, which ClickHouse keeps in each part beside its rows: reports of months read these. A
 * projection is used when a query groups by its columns only.
 */
const projections = Object.entries({
  targets: 'scope',
  sources: 'source',
  clients: 'device, browser, system, language, bot',
  places: 'country, region, city',
  origins: 'referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content',
  quarters: 'toStartOfFifteenMinutes(at)',
}).map(
  ([name, columns]) =>
    `projection ${name} (select account, toDate(at), verdict, ${columns}, count() group by account, toDate(at), verdict, ${columns})`,
)

/** In order, each applied once. Every statement may be repeated: two servers may start together. */
const steps: readonly Step[] = [
  ({ cluster, engine, deduplicated }) => `create table if not exists click_hits ${cluster} (
      ${hitColumns},
      ${projections.join(',\n      ')}
    ) engine = ${engine('click_hits')} ${hitOrder}
    settings ${deduplicated}, lightweight_mutation_projection_mode = 'rebuild'`,
  ({ cluster, engine, deduplicated }) => `create table if not exists popup_events ${cluster} (
      at DateTime64(6, 'UTC'), visitor Int64, popup Int32, surface Int32, account Int32,
      action LowCardinality(String), verdict LowCardinality(String),
      delivery Int64 codec(Delta, ZSTD)
    ) engine = ${engine('popup_events')} partition by toYYYYMM(at) order by (account, popup, at)
    settings ${deduplicated}`,
  ({ cluster, engine, deduplicated }) =>
    `create table if not exists click_samples ${cluster} (${hitColumns}) engine = ${engine('click_samples')} ${hitOrder}
    settings ${deduplicated}`,
  ({ cluster }) =>
    `create materialized view if not exists click_samples_view ${cluster} to click_samples as select * from click_hits where ${inSample(32)}`,
  // The rule and the variant that decided a hit, before the number of its delivery.
  ...['click_samples', 'click_hits'].map(
    (table): Step =>
      ({ cluster }) =>
        `alter table ${table} ${cluster} add column if not exists rule String after utm_content, add column if not exists variant String after rule`,
  ),
  ({ cluster }) =>
    `alter table click_samples_view ${cluster} modify query select * from click_hits where ${inSample(32)}`,
  ...['click_samples', 'click_hits'].map(
    (table): Step =>
      ({ cluster }) =>
        `alter table ${table} ${cluster} add column if not exists placement String after variant`,
  ),
  ({ cluster }) =>
    `alter table click_samples_view ${cluster} modify query select * from click_hits where ${inSample(32)}`,
]

/**
 * Decides whether a hit is in the sample of one visitor in 32 or 512, as app.sample_number (database/code/13_clicks.sql) has it. Hits
 * without a visitor go by their time.
 */
export function inSample(rate: 32 | 512): string {
  const number = 'if(visitor = 0, intDiv(toUnixTimestamp64Micro(at) + 500, 1000), visitor)'
  return `bitAnd(${number}, ${rate - 1}) = 7`
}

/** Tables with rows of accounts at a time `at`; the id of a popup that is deleted counts as an account. */
export const tablesOfAccounts = [
  { table: 'click_hits', owners: ['account'] },
  { table: 'click_samples', owners: ['account'] },
  { table: 'popup_events', owners: ['account', 'popup'] },
] as const

export const ownTables = [
  'click_samples_view',
  'click_samples',
  'click_hits',
  'popup_events',
  'hoplet_store',
  'hoplet_migrations',
] as const

/**
 * Brings the database of `CLICKHOUSE_URL` to this build's schema.
 *
 * @param id of the database in PostgreSQL (`app.click_store`), which the one in ClickHouse belongs to from then on
 * @throws {ClickHouseDownError} when it does not answer
 * @throws {ConfigurationError} when this build cannot use it, or it belongs to another database
 */
export async function prepareClickHouse(settings: ClickHouseSettings, id: string): Promise<void> {
  const { database, server } = apart(settings.url)
  const cluster = onCluster(settings)
  const engine = (table: string) =>
    settings.cluster
      ? `ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/${table}', '{replica}')`
      : 'MergeTree'
  const deduplicated = settings.cluster
    ? `replicated_deduplication_window = ${deduplicationWindow}, replicated_deduplication_window_seconds = 604800`
    : `non_replicated_deduplication_window = ${deduplicationWindow}`
  // Without a database: it may have to be made first.
  const client = openClickHouse({ url: server })
  const own = openClickHouse(settings)
  try {
    const known = await selectRows(
      client,
      'select 1 from system.databases where name = {database: String}',
      { database },
    )
    if (known.length === 0)
      await client.command({ query: `create database if not exists ${database} ${cluster}` })
    await own.command({
      query: `create table if not exists hoplet_migrations ${cluster} (number UInt32, applied_at DateTime default now())
        engine = ${engine('hoplet_migrations')} order by number`,
    })
    await own.command({
      query: `create table if not exists hoplet_store ${cluster} (id UUID) engine = ${engine('hoplet_store')} order by id`,
    })
    await claim(own, database, id)
    const applied = await appliedSteps(own)
    if (applied > steps.length) {
      throw new ConfigurationError([
        `CLICKHOUSE_URL: the database ${database} has schema ${applied}, and this version of Hoplet knows ${steps.length}. Start the newer version, or name another database.`,
      ])
    }
    for (const [index, step] of steps.entries()) {
      if (index < applied) continue
      await own.command({ query: step({ cluster, engine, deduplicated }) })
      await own.insert({
        table: 'hoplet_migrations',
        values: [{ number: index + 1 }],
        format: 'JSONEachRow',
      })
    }
    await keepDays(own, settings)
  } catch (error) {
    throw explainError(error, settings.url)
  } finally {
    await client.close()
    await own.close()
  }
}

function apart(url: string): { database: string; server: string } {
  const parsed = new URL(url)
  const database = parsed.pathname.slice(1)
  parsed.pathname = '/'
  return { database, server: parsed.href }
}

async function claim(client: ClickHouseClient, database: string, id: string): Promise<void> {
  const owners = await selectRows<{ id: string }>(client, 'select distinct id from hoplet_store')
  if (owners.length === 0)
    await client.insert({ table: 'hoplet_store', values: [{ id }], format: 'JSONEachRow' })
  else if (owners.some((owner) => owner.id !== id))
    throw new ConfigurationError([
      `CLICKHOUSE_URL: the database ${database} has the clicks of another Hoplet. Name another database, or drop it.`,
    ])
}

/** ClickHouse deletes hits that no plan keeps; deletions.ts those of plans with a shorter retention. */
async function keepDays(client: ClickHouseClient, settings: ClickHouseSettings): Promise<void> {
  for (const { table } of tablesOfAccounts) {
    const ttl = `toDateTime(at) + toIntervalDay(${settings.keepDays})`
    const [found] = await selectRows<{ engine_full: string }>(
      client,
      'select engine_full from system.tables where database = currentDatabase() and name = {table: String}',
      { table },
    )
    // Setting it rewrites the table.
    if (found?.engine_full.includes(`TTL ${ttl}`)) continue
    await client.command({ query: `alter table ${table} ${onCluster(settings)} modify ttl ${ttl}` })
  }
}

async function appliedSteps(client: ClickHouseClient): Promise<number> {
  const [row] = await selectRows<{ applied: number }>(
    client,
    'select max(number) as applied from hoplet_migrations',
  )
  return Number(row?.applied ?? 0)
}
