import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { officialAdmin, type OfficialClient, signIn } from '#test/auth/requests.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { give, makeAudience } from '#test/leads/give.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { makeAdmin, rpc } from './calls.ts'

// The publications of a person who is blocked or banned.

let server: TestServer
let admin: Account
let operator: OfficialClient['admin']
beforeAll(async () => {
  server = await sharedServer()
  admin = await makeAdmin(server)
  operator = officialAdmin(server)
})

interface Publisher {
  user: TestUser
  /** The answers of each door for the things that the person publishes. */
  answers: () => Promise<Record<string, unknown>>
}

const on = { link: 302, popup: 200, page: 200, report: 200, form: true, lookUps: [1, 1, 1] }
const off = { link: 410, popup: 410, page: 410, report: 404, form: false, lookUps: [0, 0, 0] }

async function makePublisher(): Promise<Publisher> {
  const user = await makeUser(server, { plan: 'business' })
  const owner = { ...user, claims: {} }
  const audience = await makeAudience(server, {}, owner)
  const represented = { prefer: 'return=representation' }
  const row = { user_id: user.id, original_url: 'https://published.example/' }
  const { body } = await send(server, owner, 'POST', 'shortened_urls', row, represented)
  const [link] = body as [{ id: string; short_code: string }]
  const slug = `p${randomUUID().slice(0, 8)}`
  await rpc(server, owner, 'save_bio_page', { page: { slug, title: 'Me' }, links: [] })
  const report = { link_id: link.id }
  const shared = await send(server, owner, 'POST', 'shared_reports', report, represented)
  const [{ token }] = shared.body as [{ token: string }]
  const statusOf = async (path: string) => (await visit(server.url, path)).status
  const foundAt = async (path: string) =>
    ((await send(server, undefined, 'GET', path)).body as unknown[]).length
  return {
    user,
    answers: async () => ({
      link: await statusOf(`/${link.short_code}`),
      popup: await statusOf(`/${audience.code}`),
      page: await statusOf(`/${slug}`),
      report: await statusOf(`/analytics/shared/${token}`),
      form: (await give(server, audience, `${randomUUID()}@example.com`)).ok,
      lookUps: [
        await foundAt(`shortened_urls?short_code=eq.${link.short_code}&select=id`),
        await foundAt(`bio_pages?slug=eq.${slug}&select=id`),
        await foundAt(`popups?id=eq.${audience.popup}&select=id`),
      ],
    }),
  }
}

const signInStatus = async ({ email, password }: TestUser) =>
  (await signIn(server, email, password)).status

describe('the block of an admin', () => {
  const block = (user: TestUser, more: object = {}) =>
    rpc(server, admin, 'admin_block', { _kind: 'user', _value: user.id, ...more })
  const blocks = async (user: TestUser) =>
    ((await rpc(server, admin, 'admin_blocks')).body as { value: string }[]).filter(
      ({ value }) => value === user.id,
    )

  it('switches off all that the person publishes, and its end switches it on again', async () => {
    const { user, answers } = await makePublisher()
    expect(await answers()).toEqual(on)
    expect((await block(user)).status).toBe(204)
    await expect.poll(answers).toEqual(off)
    expect(await blocks(user)).toMatchObject([{ kind: 'user', hides_published: true }])
    await rpc(server, admin, 'admin_unblock', { _kind: 'user', _value: user.id })
    await expect.poll(answers).toEqual(on)
  })

  it('leaves it on when the admin says so, and can be changed later', async () => {
    const { user, answers } = await makePublisher()
    expect((await block(user, { _hide_published: false })).status).toBe(204)
    expect(await signInStatus(user)).toBe(400)
    expect(await answers()).toEqual(on)
    expect(await blocks(user)).toMatchObject([{ kind: 'user', hides_published: false }])
    const promoted = await send(server, admin, 'PATCH', `user_roles?user_id=eq.${user.id}`, {
      role: 'admin',
    })
    expect(promoted.body).toMatchObject({ message: 'A blocked user cannot be an admin.' })
    await block(user)
    await expect.poll(answers).toEqual(off)
    await block(user, { _hide_published: false })
    await expect.poll(answers).toEqual(on)
    expect(await signInStatus(user)).toBe(400)
    await rpc(server, admin, 'admin_unblock', { _kind: 'user', _value: user.id })
    expect(await signInStatus(user)).toBe(200)
  })
})

describe('a ban through the admin API', () => {
  /** The type of the official client lacks our field. */
  const ban = async ({ id }: TestUser, ban_duration: string, more: object = {}) => {
    const { error } = await operator.updateUserById(id, { ban_duration, ...more })
    expect(error).toBeNull()
  }

  it('does the same, until it is lifted by the API or an admin', async () => {
    const { user, answers } = await makePublisher()
    await ban(user, '24h')
    await expect.poll(answers).toEqual(off)
    await ban(user, 'none')
    await expect.poll(answers).toEqual(on)
    await ban(user, '24h')
    await expect.poll(answers).toEqual(off)
    await rpc(server, admin, 'admin_unblock', { _kind: 'ban', _value: user.email })
    await expect.poll(answers).toEqual(on)
    expect(await signInStatus(user)).toBe(200)
  })

  it('leaves it on when the program says so', { tags: ['extended'] }, async () => {
    const { user, answers } = await makePublisher()
    await ban(user, '24h', { hide_published: false })
    expect(await signInStatus(user)).toBe(400)
    expect(await answers()).toEqual(on)
    await ban(user, '48h', { hide_published: true })
    await expect.poll(answers).toEqual(off)
    const lines = await server.sql<{ hides: boolean }>(
      `select (after ->> 'hides_published')::boolean as hides from app.audit_log
        where target_id = $1 and action = 'user.ban' order by id`,
      [user.id],
    )
    expect(lines).toEqual([{ hides: false }, { hides: true }])
    for (const more of [{}, { ban_duration: 'none' }]) {
      const { error } = await operator.updateUserById(user.id, {
        hide_published: true,
        ...more,
      } as object)
      expect(error?.code).toBe('validation_failed')
    }
  })

  it('switches it on again when its time is over', { tags: ['extended'] }, async () => {
    const { user, answers } = await makePublisher()
    await ban(user, '24h')
    await expect.poll(answers).toEqual(off)
    await server.sql(
      `update app.blocks set ends_at = now() - interval '1 second' where kind = 'ban' and value = $1`,
      [user.id],
    )
    expect(await answers()).toMatchObject({ report: on.report, form: on.form, lookUps: on.lookUps })
  })

  it('and a block of an admin end independently, and an unban ends both', async () => {
    const { user, answers } = await makePublisher()
    const block = { _kind: 'user', _value: user.id }
    await ban(user, '24h')
    await rpc(server, admin, 'admin_block', block)
    await rpc(server, admin, 'admin_unblock', block)
    expect(await signInStatus(user)).toBe(400)
    await expect.poll(answers).toEqual(off)
    await rpc(server, admin, 'admin_block', block)
    await ban(user, 'none')
    await expect.poll(answers).toEqual(on)
    expect(await signInStatus(user)).toBe(200)
  })

  it('may come with the new account', async () => {
    const email = `${randomUUID()}@example.com`
    const { data } = await operator.createUser({ email, ban_duration: '24h' })
    expect(
      await server.sql('select kind from app.blocks where value = $1', [data.user?.id]),
    ).toEqual([{ kind: 'ban' }])
  })
})
