import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { followHits } from '#web/clicks/live/follow-hits.ts'
import { reloadTrends } from '#web/clicks/trends-query.ts'
import { tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { changeLoadedLinks } from '../links-query.ts'

/** The ids of one request stand in its address. */
const maxPerRequest = 100
const trendsEveryMs = 30_000

/** Reads these rows again in every loaded list; a row that fails to load stays unchanged. */
export async function reloadLinks(client: QueryClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { data } = await tables
    .from('shortened_urls')
    .select('*')
    .in('id', ids.slice(0, maxPerRequest))
  const byId = new Map(data?.map((link) => [link.id, link]))
  changeLoadedLinks(client, (link) => byId.get(link.id) ?? link)
}

/**
 * Counts in the rows of a list move with the clicks. After a burst, and after a lost connection, that goes for the first
 * hundred rows; those below wait for their own clicks.
 */
export function useLiveLinks(userId: string, links: readonly LinkRow[], isWanted: boolean): void {
  const client = useQueryClient()
  const loaded = useRef(links)
  useEffect(() => {
    loaded.current = links
  }, [links])

  useEffect(() => {
    if (!isWanted) return undefined
    let trendsAt = Date.now()
    const reload = (ids: readonly string[]) => void reloadLinks(client, ids)
    const reloadFirst = () => reload(loaded.current.map(({ id }) => id))
    return followHits({
      about: { scope: 'account' },
      onStatus: (status) => {
        // Hits before the connection.
        if (status === 'live') reloadFirst()
      },
      onHits: (came, hits) => {
        const isBurst = Object.values(came).reduce((sum, count) => sum + count, 0) > hits.length
        if (isBurst) reloadFirst()
        else reload([...new Set(hits.map(({ target }) => target))])
        if (Date.now() - trendsAt < trendsEveryMs) return
        trendsAt = Date.now()
        reloadTrends(client, userId, 'link')
      },
    })
  }, [client, userId, isWanted])
}
