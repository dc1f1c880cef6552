import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client'
import { ConfigurationError } from '../../env.ts'
import { type ClickHouseSettings, openClickHouse, silent } from './client.ts'

const leastVersion = [25, 3] as const
const startTimeoutMs = 10_000

/** How many of the last blocks ClickHouse knows again by their token (docs/decisions/0083). */
const deduplicationWindow = 10_000

type Step = (engine: (name: string) => string) => string

/** In order, each applied once. Every statement may be repeated: two servers may start together. */
const steps: readonly Step[] = [
  (engine) => `create table if not exists click_hits {cluster} (
      at DateTime64(6, 'UTC'), visitor Int64, scope Int32, account Int32,
      verdict LowCardinality(String), source LowCardinality(String),
      device LowCardinality(String), browser LowCardinality(String), system LowCardinality(String),
      language LowCardinality(String), bot LowCardinality(String),
      country LowCardinality(String), region LowCardinality(String), city LowCardinality(String),
      referrer String, page String,
      utm_source String, utm_medium String, utm_campaign String, utm_term String, utm_content String
    ) engine = ${engine('click_hits')} partition by toYYYYMM(at) order by (account, toDate(at), scope, at)
    settings ${engine('click_hits').startsWith('Replicated') ? 'replicated' : 'non_replicated'}_deduplication_window = ${deduplicationWindow}`,
]

/**
 * Brings the database of `CLICKHOUSE_URL` to this build's schema.
 *
 * @throws {ConfigurationError} when ClickHouse cannot be reached or is not what this build needs
 */
export async function prepareClickHouse(settings: ClickHouseSettings): Promise<void> {
  const { database, server } = apart(settings.url)
  const cluster = settings.cluster ? `on cluster '${settings.cluster}'` : ''
  const engine = (name: string) =>
    settings.cluster
      ? `ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/${name}', '{replica}')`
      : 'MergeTree'
  // Without a database: it may have to be made first.
  const client = createClient({ url: server, request_timeout: startTimeoutMs, log: silent })
  const own = openClickHouse(settings)
  try {
    await checkVersion(client)
    await client.command({ query: `create database if not exists ${database} ${cluster}` })
    await own.command({
      query: `create table if not exists hoplet_migrations ${cluster} (number UInt32, applied_at DateTime default now())
        engine = ${engine('hoplet_migrations')} order by number`,
    })
    const applied = await appliedSteps(own)
    if (applied > steps.length) {
      throw new ConfigurationError([
        `CLICKHOUSE_URL: the database ${database} has schema ${applied}, and this version of Hoplet knows ${steps.length}. Start the newer version, or name another database.`,
      ])
    }
    for (const [index, step] of steps.entries()) {
      if (index < applied) continue
      await own.command({ query: step(engine).replace('{cluster}', cluster) })
      await own.insert({
        table: 'hoplet_migrations',
        values: [{ number: index + 1 }],
        format: 'JSONEachRow',
      })
    }
    // What a plan keeps for a shorter time is deleted sooner in PostgreSQL only.
    await own.command({
      query: `alter table click_hits ${cluster} modify ttl toDateTime(at) + toIntervalDay(${settings.keepDays})`,
    })
  } catch (error) {
    throw problemOf(error, settings.url) ?? error
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

async function checkVersion(client: ClickHouseClient): Promise<void> {
  const version = await onlyValue<string>(client, 'select version() as value')
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (major > leastVersion[0] || (major === leastVersion[0] && minor >= leastVersion[1])) return
  throw new ConfigurationError([
    `CLICKHOUSE_URL: the server is ClickHouse ${version}; Hoplet needs ${leastVersion.join('.')} or later. Upgrade it, or remove CLICKHOUSE_URL.`,
  ])
}

async function appliedSteps(client: ClickHouseClient): Promise<number> {
  return Number(
    (await onlyValue<number>(client, 'select max(number) as value from hoplet_migrations')) ?? 0,
  )
}

async function onlyValue<Value>(
  client: ClickHouseClient,
  query: string,
): Promise<Value | undefined> {
  const result = await client.query({ query, format: 'JSONEachRow' })
  const rows = await result.json<{ value: Value }>()
  return rows[0]?.value
}

/** 192, 193, 194, 516: unknown user, wrong password, password needed, not authenticated; 497: no right to do this. */
const credentialCodes = new Set(['192', '193', '194', '516'])

function problemOf(error: unknown, url: string): ConfigurationError | undefined {
  const { host, username } = new URL(url)
  if (error instanceof ConfigurationError) return error
  if (error instanceof ClickHouseError) {
    if (credentialCodes.has(error.code)) {
      return new ConfigurationError([
        `CLICKHOUSE_URL: ${host} refuses the user "${username}" with this password`,
      ])
    }
    if (error.code === '497') {
      return new ConfigurationError([
        `CLICKHOUSE_URL: the user "${username}" may not make the database and its tables: ${error.message}`,
      ])
    }
    return undefined
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new ConfigurationError([`CLICKHOUSE_URL: ${host} cannot be reached: ${reason}`])
}
