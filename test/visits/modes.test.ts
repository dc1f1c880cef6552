import { expect, it } from 'vitest'
import { startTestServer } from '#test/server.ts'
import { countOf, plantLinks } from './plant.ts'
import { visit } from './visit.ts'

it('with CLICK_MODE=sync counts in the database before the response, also for many visits at once', async () => {
  const server = await startTestServer({ clicks: { mode: 'sync', fsync: false, reserveBytes: 0 } })
  try {
    const [link] = await plantLinks(server.sql, [{ code: 'sync', url: 'https://example.com/' }])
    for (let i = 1; i <= 5; i++) {
      await visit(server.url, '/sync')
      expect(await countOf(server.sql, link?.id ?? '')).toBe(i)
    }
    await Promise.all(Array.from({ length: 95 }, () => visit(server.url, '/sync')))
    expect(await countOf(server.sql, link?.id ?? '')).toBe(100)
    expect(server.context.visits.status().clicks).toMatchObject({
      mode: 'sync',
      lost: 0,
      applied: 100,
    })
  } finally {
    await server.close()
  }
})

it('the server counts with CLICK_FSYNC=on', async () => {
  const server = await startTestServer({
    clicks: { mode: 'journal', fsync: true, reserveBytes: 0 },
  })
  try {
    const [link] = await plantLinks(server.sql, [{ code: 'safe', url: 'https://example.com/' }])
    await Promise.all(Array.from({ length: 100 }, () => visit(server.url, '/safe')))
    await expect.poll(() => countOf(server.sql, link?.id ?? ''), { timeout: 240_000 }).toBe(100)
  } finally {
    await server.close()
  }
})
