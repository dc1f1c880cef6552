import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'
import { plantBio, plantPopupLink } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const link = '<a class="hp-made" href="/" target="_blank" rel="noopener noreferrer">'

/** The number of marks on the page. */
async function marksOn(code: string): Promise<number> {
  const { status, body } = await visit(server.url, `/${code}`)
  expect(status).toBe(200)
  const marks = body.split('Made with Hoplet').length - 1
  expect(body.split(link).length - 1).toBe(marks)
  return marks
}

async function setPlan(owner: string, plan: string): Promise<void> {
  await server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [owner, plan])
}

const within = { timeout: 240_000, interval: 10 }

describe('the mark', () => {
  it('is on the bio page and its popup while the owner is on the free plan', async () => {
    const { slug, owner } = await plantBio(server.sql, { popup: { title: 'Hello' } })
    expect(await marksOn(slug)).toBe(2)
    for (const plan of ['pro', 'business']) {
      await setPlan(owner, plan)
      await vi.waitFor(async () => expect(await marksOn(slug)).toBe(0), within)
      await setPlan(owner, 'free')
      await vi.waitFor(async () => expect(await marksOn(slug)).toBe(2), within)
    }
  })

  it('is on the popup of a short link, within a second of a change', async () => {
    const { code, popupId } = await plantPopupLink(server.sql)
    const [popup] = await server.sql<{ user_id: string }>(
      'select user_id from app.popups where id = $1',
      [popupId],
    )
    expect(await marksOn(code)).toBe(1)
    await setPlan(popup?.user_id ?? '', 'pro')
    await vi.waitFor(async () => expect(await marksOn(code)).toBe(0), within)
    await setPlan(popup?.user_id ?? '', 'free')
    await vi.waitFor(async () => expect(await marksOn(code)).toBe(1), within)
  })

  it('is not on the sample page, nor on the page of a paying owner', async () => {
    const free = await plantBio(server.sql)
    const paid = await plantBio(server.sql)
    await setPlan(paid.owner, 'business')
    await vi.waitFor(async () => expect(await marksOn(paid.slug)).toBe(0), within)
    expect(await marksOn(free.slug)).toBe(1)
    expect(await marksOn('demo')).toBe(0)
  })
})
