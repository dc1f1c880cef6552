import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { plantLinks, type Planted } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
let planted = 0
async function makeOwner(at = server) {
  const owner = await makeAccount(at, { plan: 'pro' })
  const links = [{ code: `log-${planted++}`, url: 'https://example.com/' }]
  const [link] = await plantLinks(at.sql, links, owner.id)
  if (!link) throw new Error('nothing planted')
  return { owner, link }
}

async function ask(
  who: Pick<Account, 'headers'> | undefined,
  query = 'scope=account',
  at: Pick<TestServer, 'url'> = server,
) {
  const response = await fetch(`${at.url}/functions/v1/click-log?${query}`, {
    headers: who?.headers ?? {},
  })
  return { status: response.status, body: await response.json() }
}

const nothing = { status: 200, body: { waiting: 0, lag_seconds: 0 } }

/** Runs `work` while a lock keeps hits from being stored. */
async function whileNothingIsStored<T>(work: () => Promise<T>): Promise<T> {
  const { Client } = (await import('pg')).default
  const holder = new Client({ connectionString: server.superuserUrl })
  await holder.connect()
  await holder.query('begin; lock table app.click_segments in exclusive mode')
  try {
    return await work()
  } finally {
    await holder.end()
  }
}

const hit = ({ code }: Planted) => visit(server.url, `/${code}`)

describe('the click log', () => {
  it('says how many hits of the account are not in the database yet, and how old they are', async () => {
    const { owner, link } = await makeOwner()
    const { owner: other, link: othersLink } = await makeOwner()
    const { owner: third } = await makeOwner()
    // One account has had hits before, for the other it is the first.
    await hit(link)
    await expect.poll(() => ask(owner)).toEqual(nothing)
    await whileNothingIsStored(async () => {
      for (let i = 0; i < 30; i++) await hit(link)
      for (let i = 0; i < 7; i++) await hit(othersLink)
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      const answer = await ask(owner)
      expect(answer).toMatchObject({ status: 200, body: { waiting: 30 } })
      expect(answer.body.lag_seconds).toBeGreaterThan(0)
      expect(await ask(other)).toMatchObject({ body: { waiting: 7 } })
      // An admin sees every link, and is asked about their own here too.
      const admin = await makeAccount(server, { role: 'admin' })
      expect([await ask(third), await ask(admin)]).toEqual([nothing, nothing])
    })
    await expect.poll(() => ask(owner)).toEqual(nothing)
  })

  it('is for people who may see clicks', async () => {
    const free = await makeAccount(server, { plan: 'free' })
    expect(await ask(undefined)).toMatchObject({ status: 401 })
    expect(await ask(free)).toEqual({ status: 403, body: { error: 'Upgrade to view clicks' } })
    const { owner } = await makeOwner()
    expect(await ask(owner, 'scope=link')).toEqual({
      status: 400,
      body: { error: 'scope must be account' },
    })
  })

  it('is not known without a journal', async () => {
    const { clicks } = server.context.config
    const direct = await startTestServer({ clicks: { ...clicks, mode: 'sync' } })
    const { owner } = await makeOwner(direct)
    expect(await ask(owner, 'scope=account', direct)).toEqual({
      status: 200,
      body: { waiting: null, lag_seconds: null },
    })
    await direct.close()
  })

  it('reads no more than a megabyte, in small steps', async () => {
    const { owner, link } = await makeOwner()
    const headers = { referer: `https://example.com/${'x'.repeat(480)}` }
    await whileNothingIsStored(async () => {
      const visits = Array.from({ length: 2_500 }, () =>
        visit(server.url, `/${link.code}`, { headers }),
      )
      await Promise.all(visits)
      const { body } = await ask(owner)
      // A record of these has between 600 and 1,300 bytes.
      expect(body.waiting).toBeGreaterThan(700)
      expect(body.waiting).toBeLessThan(1_900)
    })
  })
})
