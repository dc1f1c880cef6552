import { text } from 'node:stream/consumers'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import { ConfigurationError } from '../../env.ts'
import { type ClickHouseSettings, openClickHouse, selectRows } from './client.ts'
import { errorMessage } from '../../primitives/caught-error.ts'

/** ClickHouse does not answer; the settings may be right. */
export class ClickHouseDownError extends Error {
  name = 'ClickHouseDownError'
}

const leastVersion = [25, 3] as const
const timeoutMs = 10_000
/** Privileges that this build needs. */
const rights = [
  'CREATE TABLE',
  'CREATE VIEW',
  'INSERT',
  'SELECT',
  'ALTER DELETE',
  'ALTER UPDATE',
  'ALTER TTL',
]
/** 192, 193, 194, 516: unknown user, wrong password, password needed, not authenticated. */
const credentialCodes = new Set(['192', '193', '194', '516'])
const missingRight = '497'

/**
 * Asks ClickHouse whether it matches the settings. It changes nothing. One that does not answer has no problems: whether the
 * server can start without it depends on where the hits are (`click-store.ts`).
 *
 * @returns a line for each setting to change
 */
export async function checkClickHouse(settings: ClickHouseSettings): Promise<string[]> {
  const url = new URL(settings.url)
  const database = url.pathname.slice(1)
  url.pathname = '/'
  const client = openClickHouse({ url: url.href }, timeoutMs)
  try {
    const old = await versionProblem(client)
    // An older one may not understand the other questions.
    if (old) return [old]
    return [
      ...(settings.cluster ? await clusterProblems(client, settings.cluster) : []),
      ...(await rightsProblems(client, {
        database,
        user: url.username,
        cluster: settings.cluster,
      })),
    ]
  } catch (error) {
    const explained = explainError(error, settings.url)
    if (explained instanceof ClickHouseDownError) return []
    if (explained instanceof ConfigurationError) return explained.problems
    throw explained
  } finally {
    await client.close()
  }
}

async function versionProblem(client: ClickHouseClient): Promise<string | undefined> {
  const [row] = await selectRows<{ version: string }>(client, 'select version() as version')
  const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number)
  if (major > leastVersion[0] || (major === leastVersion[0] && minor >= leastVersion[1])) return
  return `CLICKHOUSE_URL: the server is ClickHouse ${row?.version}; Hoplet needs ${leastVersion.join('.')} or later. Upgrade it, or remove the line.`
}

async function clusterProblems(client: ClickHouseClient, cluster: string): Promise<string[]> {
  const clusters = await selectRows<{ cluster: string }>(
    client,
    'select distinct cluster from system.clusters order by cluster',
  )
  const macros = await selectRows<{ macro: string }>(client, 'select macro from system.macros')
  const names = clusters.map((each) => each.cluster)
  const missing = ['shard', 'replica'].filter((name) => !macros.some(({ macro }) => macro === name))
  return [
    ...(names.includes(cluster)
      ? []
      : [
          `CLICKHOUSE_CLUSTER: ClickHouse knows no cluster ${cluster}${names.length > 0 ? `, but ${names.join(', ')}` : ''}. Correct the line, or add the cluster to <remote_servers> of ClickHouse.`,
        ]),
    ...missing.map(
      (name) =>
        `CLICKHOUSE_CLUSTER: ClickHouse has no macro {${name}}, which replicated tables need. Add it to <macros> of each server, or remove the line.`,
    ),
  ]
}

async function rightsProblems(
  client: ClickHouseClient,
  { database, user, cluster }: { database: string; user: string; cluster: string | undefined },
): Promise<string[]> {
  const exists = await selectRows(
    client,
    'select 1 from system.databases where name = {database: String}',
    { database },
  )
  const needed = [
    ...(exists.length > 0 ? [] : [`CREATE DATABASE ON ${database}.*`]),
    ...rights.map((right) => `${right} ON ${database}.*`),
    ...(cluster ? ['CLUSTER ON *.*'] : []),
  ]
  const missing: string[] = []
  for (const grant of needed) {
    // This statement takes no format.
    const { stream } = await client.exec({ query: `check grant ${grant}` })
    if ((await text(stream)).trim() !== '1') missing.push(grant)
  }
  return missing.map(
    (grant) => `CLICKHOUSE_URL: the user "${user}" lacks a right. Run: GRANT ${grant} TO ${user}`,
  )
}

/** Translates an error of ClickHouse or its client for the operator; others are returned as they are. */
export function explainError(error: unknown, url: string): unknown {
  const { host, username } = new URL(url)
  if (error instanceof ConfigurationError || error instanceof ClickHouseDownError) return error
  if (error instanceof ClickHouseError) {
    if (credentialCodes.has(error.code))
      return new ConfigurationError([
        `CLICKHOUSE_URL: ${host} refuses the user "${username}" with this password`,
      ])
    if (error.code === missingRight)
      return new ConfigurationError([
        `CLICKHOUSE_URL: the user "${username}" lacks a right: ${error.message}`,
      ])
    return error
  }
  return new ClickHouseDownError(`${host} cannot be reached: ${errorMessage(error)}`, {
    cause: error,
  })
}
