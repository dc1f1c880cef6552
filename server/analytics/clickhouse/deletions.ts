import { queryAs, valueAs } from '../../postgres/rows.ts'
import { onCluster, selectRows } from './client.ts'
import { tablesOfAccounts } from './schema.ts'
import { type ClickHouseDeps, worker, workerReads } from './worker.ts'

interface Due extends Record<string, unknown> {
  /** `infinity` for accounts and popups that are gone. */
  before: string
  accounts: number[]
}

const maxScopes = 5_000

/** Deletes the hits of accounts that are gone, and those that their account's plan keeps no longer. */
export async function deleteForgotten({
  database,
  client,
  settings,
}: ClickHouseDeps): Promise<void> {
  const due = await queryAs<Due>(
    database,
    workerReads,
    'select before::text, accounts from app.due_clickhouse_deletions()',
  )
  for (const { before, accounts } of due) {
    const isGone = before === 'infinity'
    for (const { table, owners } of tablesOfAccounts) {
      const columns = isGone ? owners : ['account']
      const belongs = columns.map((column) => `${column} in ({accounts: Array(Int32)})`)
      await client.command({
        query: `delete from ${table} ${onCluster(settings)} where (${belongs.join(' or ')})${isGone ? '' : ` and at < toDateTime64({before: String}, 6, 'UTC')`}`,
        query_params: { accounts, ...(!isGone && { before: `${before} 00:00:00` }) },
      })
    }
    await queryAs(database, worker, 'select app.end_clickhouse_deletions($1, $2)', [
      accounts,
      before,
    ])
  }
}

/** Deletes the imported hits of imports that were undone. */
export async function deleteUndoneImports({
  database,
  client,
  settings,
}: ClickHouseDeps): Promise<void> {
  const due = await queryAs<{ scopes: number[]; accounts: number[] }>(
    database,
    workerReads,
    'select scopes, accounts from app.due_import_deletions()',
  )
  for (const { scopes, accounts } of due) {
    for (const table of ['click_hits', 'click_samples'])
      await client.command({
        // The account comes first in the order of the table.
        query: `delete from ${table} ${onCluster(settings)} where account in ({accounts: Array(Int32)})
          and scope in ({scopes: Array(Int32)}) and verdict = 'imported'`,
        query_params: { accounts, scopes },
      })
    await queryAs(database, worker, 'select app.end_import_deletions($1)', [scopes])
  }
}

/** Deletes some of the scopes without a target and without hits in ClickHouse. */
export async function deleteUnusedScopes({ database, client }: ClickHouseDeps): Promise<void> {
  const unused = 'select app.unused_click_scopes($1)'
  const scopes = (await valueAs<number[]>(database, worker, unused, [maxScopes])) ?? []
  if (scopes.length === 0) return
  const used = await selectRows<{ scope: number }>(
    client,
    `select distinct scope from click_hits where scope in ({scopes: Array(Int32)})
      union distinct select distinct popup from popup_events where popup in ({scopes: Array(Int32)})`,
    { scopes },
  )
  const kept = new Set(used.map(({ scope }) => scope))
  await queryAs(database, worker, 'select app.delete_click_scopes($1)', [
    scopes.filter((scope) => !kept.has(scope)),
  ])
}
