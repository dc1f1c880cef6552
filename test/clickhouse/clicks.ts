import { Agent } from 'node:http'
import { expect, vi } from 'vitest'
import {
  type ClickHouseSettings,
  openClickHouse,
  selectRows,
} from '#server/analytics/clickhouse/client.ts'
import { randomHits } from '#test/analytics/random-hits.ts'
import type { TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'

/** For engines and databases that are slow, and nothing else. */
export const soon = { timeout: 120_000, interval: 200 }

export async function ask<Row>(settings: ClickHouseSettings, query: string): Promise<Row[]> {
  const client = openClickHouse(settings)
  try {
    return await selectRows<Row>(client, query)
  } finally {
    await client.close()
  }
}

export async function visitAtRandom(
  { url }: Pick<TestServer, 'url'>,
  codes: readonly string[],
  { count, seed }: { count: number; seed: number },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const hits = await randomHits(count, codes, seed)
  await Promise.all(
    hits.map(({ path, method, headers }) => visit(url, path, { method, headers, agent })),
  )
  agent.destroy()
}

type Sql = Pick<TestServer, 'sql'>

/** Waits until the log is applied up to so many hits. */
export async function received({ sql }: Sql, count: number): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(
        await sql('select coalesce(sum(received), 0)::int as n from app.click_account_days'),
      ).toEqual([{ n: count }]),
    soon,
  )
}

export async function waitingHits({ sql }: Sql): Promise<number> {
  const [row] = await sql<{ hits: number }>('select hits::int from app.click_outbox_state()')
  return row?.hits ?? 0
}

/** Waits until everything that was stored is delivered. */
export async function delivered(server: Sql): Promise<void> {
  await vi.waitFor(async () => expect(await waitingHits(server)).toBe(0), soon)
}

const texts =
  'verdict source device browser system language bot country region city referrer page utm_source utm_medium utm_campaign utm_term utm_content rule variant placement'.split(
    ' ',
  )
const words = new Set(['verdict', 'source', 'action'])

/** Every hit with all that is known of it, as lines in order. */
export async function hitsInClickHouse(settings: ClickHouseSettings): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    settings,
    `select concatWithSeparator('|', toString(toUnixTimestamp64Milli(at)), toString(visitor), toString(scope), toString(account), ${texts.join(', ')}) as line
      from click_hits order by line`,
  )
  return rows.map(({ line }) => line)
}

export async function hitsInPostgres({ sql }: Sql): Promise<string[]> {
  const columns = texts.map((text) =>
    words.has(text) ? `app.click_word('${text}', e.${text}::text)` : text,
  )
  const rows = await sql<{ line: string }>(
    `select concat_ws('|', (extract(epoch from e.at) * 1000)::bigint, e.visitor, e.scope, e.account, ${columns.join(', ')}) collate "C" as line
      from app.click_events e join app.click_clients c on c.id = e.client join app.click_places p on p.id = e.place
        join app.click_origins o on o.id = e.origin order by 1`,
  )
  return rows.map(({ line }) => line)
}

export async function popupEventsInClickHouse(settings: ClickHouseSettings): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    settings,
    `select concatWithSeparator('|', toString(toUnixTimestamp64Milli(at)), toString(visitor), toString(popup), toString(surface), toString(account), action, verdict) as line
      from popup_events order by line`,
  )
  return rows.map(({ line }) => line)
}

export async function popupEventsInPostgres({ sql }: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }>(
    `select concat_ws('|', (extract(epoch from e.at) * 1000)::bigint, e.visitor, e.popup, e.surface, e.account, app.popup_action(e.action),
        app.click_word('verdict', e.verdict::text)) collate "C" as line from app.popup_events e order by 1`,
  )
  return rows.map(({ line }) => line)
}
