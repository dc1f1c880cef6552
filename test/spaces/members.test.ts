import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { actingFor, inviteTo, makeSpace } from './space-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const rpc = (who: Account | undefined, name: string, body: object = {}) =>
  send(server, who, 'POST', `rpc/${name}`, body)

describe('a space', () => {
  it('is an account with links that its members share and nobody else sees', async () => {
    const space = await makeSpace(server)
    const editor = await space.join('editor')
    const stranger = await makeAccount(server)
    const made = await send(
      server,
      editor,
      'POST',
      'shortened_urls',
      { original_url: 'https://example.com/1' },
      { prefer: 'return=representation' },
    )
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject([{ user_id: space.id }])
    const list = 'shortened_urls?select=original_url'
    expect((await send(server, space.owner, 'GET', list)).body).toHaveLength(1)
    // The person's own account has none.
    expect((await send(server, editor.person, 'GET', list)).body).toEqual([])
    const foreign = await send(server, actingFor(space.id, stranger), 'GET', list)
    expect([foreign.status, foreign.body]).toMatchObject([
      403,
      { message: 'You are not a member of this account' },
    ])
  })

  it('has no sign-in: no session, identity, factor or admin role', async () => {
    const { id } = await makeSpace(server)
    await expect(
      server.sql(`insert into auth.sessions (user_id, refresh_key) values ($1, '\\x00')`, [id]),
    ).rejects.toThrow('Nobody can sign in to a space')
    await expect(
      server.sql(
        `insert into auth.identities (user_id, provider, provider_id) values ($1, 'email', 'x')`,
        [id],
      ),
    ).rejects.toThrow('Nobody can sign in to a space')
    await expect(
      server.sql(`update auth.users set email = 'a@b.example' where id = $1`, [id]),
    ).rejects.toThrow('space_has_no_sign_in')
    await expect(
      server.sql(`update app.user_roles set role = 'admin' where user_id = $1`, [id]),
    ).rejects.toThrow('Only a person can be an admin')
  })

  it.each([
    ['one letter', 'a'],
    ['49 letters', 'a'.repeat(49)],
    ['letters of another script', 'команда'],
    ['two hyphens', 'a--b'],
    ['a reserved word', 'go'],
    ['another reserved word', 'Popup'],
  ])('refuses %s as its address', async (_what, slug) => {
    const person = await makeAccount(server)
    const refused = await rpc(person, 'create_space', { _slug: slug, _name: 'Team' })
    expect([refused.status, refused.body]).toMatchObject([400, { code: '22023', hint: 'slug' }])
    expect(
      (await rpc(person, 'create_space', { _slug: `ok-${person.id.slice(0, 8)}`, _name: 'Team' }))
        .status,
    ).toBe(200)
  })

  it('refuses an address that another space has, also at the same moment', async () => {
    const people = [await makeAccount(server), await makeAccount(server)]
    const slug = `same-${people[0]?.id.slice(0, 8)}`
    const answers = await Promise.all(
      people.map((one) => rpc(one, 'create_space', { _slug: slug, _name: 'Team' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  it('tells a person on Free that they may own one', async () => {
    const person = await makeAccount(server)
    const make = () =>
      rpc(person, 'create_space', { _slug: `s${randomUUID().slice(0, 8)}`, _name: 'Team' })
    expect((await make()).status).toBe(200)
    const refused = await make()
    expect(refused.body).toMatchObject({
      hint: 'plan',
      message: 'Your plan allows you to own 1 space.',
    })
  })

  it('is renamed and deleted by an owner who gives its address', async () => {
    const space = await makeSpace(server)
    const editor = await space.join('editor')
    expect((await rpc(space.owner, 'update_space', { _name: 'Harbour Books' })).status).toBe(204)
    expect((await send(server, editor, 'GET', 'spaces?select=name,role')).body).toEqual([
      { name: 'Harbour Books', role: 'editor' },
    ])
    expect((await rpc(editor, 'update_space', { _name: 'Mine' })).status).toBe(403)
    expect((await rpc(editor, 'delete_space', { _slug: space.slug })).status).toBe(403)
    expect((await rpc(space.owner, 'delete_space', { _slug: 'another' })).status).toBe(400)
    expect((await rpc(space.owner, 'delete_space', { _slug: space.slug })).status).toBe(204)
    expect((await send(server, space.owner, 'GET', 'spaces')).status).toBe(403)
    expect(await server.sql('select from auth.users where id = $1', [space.id])).toEqual([])
  })
})

describe('a request', () => {
  it('that names a foreign or absent account gets the same 403, and leaves a security event', async () => {
    const { id } = await makeSpace(server)
    const stranger = await makeAccount(server)
    const answers = []
    for (const account of [id, randomUUID(), 'no-uuid', `${id}, ${id}`, ''])
      answers.push(await send(server, actingFor(account, stranger), 'GET', 'shortened_urls'))
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    await server.context.securityEvents.flush()
    const events = await server.sql(`select event from auth.security_events where user_id = $1`, [
      stranger.id,
    ])
    expect(events).toEqual([{ event: 'account of others refused' }])
    // The control: the header with one's own account.
    expect(
      (await send(server, actingFor(stranger.id, stranger), 'GET', 'shortened_urls')).status,
    ).toBe(200)
  })

  it('acts with the present role at once, also on a server that heard of no change', async () => {
    const space = await makeSpace(server)
    const member = await space.join('viewer')
    const make = () =>
      send(server, member, 'POST', 'shortened_urls', { original_url: 'https://example.com/' })
    expect([(await make()).status]).toEqual([403])
    // Without a trigger there is no notification.
    await server.sql(`alter table app.members disable trigger notify`)
    try {
      await server.sql(
        `update app.members set role = 'editor' where account_id = $1 and person_id = $2`,
        [space.id, member.id],
      )
      expect((await make()).status).toBe(201)
      await server.sql(
        `update app.members set role = 'viewer' where account_id = $1 and person_id = $2`,
        [space.id, member.id],
      )
      expect((await make()).status).toBe(403)
      await server.sql(`delete from app.members where account_id = $1 and person_id = $2`, [
        space.id,
        member.id,
      ])
      expect((await send(server, member, 'GET', 'shortened_urls')).status).toBe(403)
    } finally {
      await server.sql(`alter table app.members enable trigger notify`)
    }
  })
})

describe('an invitation', () => {
  it('works once, and the list names the person', async () => {
    const space = await makeSpace(server)
    const token = await inviteTo(server, space.owner, 'viewer')
    const [first, second] = [await makeAccount(server), await makeAccount(server)]
    expect((await rpc(undefined, 'read_invitation', { _token: token })).body).toMatchObject({
      role: 'viewer',
    })
    const answers = await Promise.all(
      [first, second].map((one) => rpc(one, 'accept_invitation', { _token: token })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    expect((await rpc(undefined, 'read_invitation', { _token: token })).body).toBeNull()
    const winner = answers[0]?.status === 200 ? first : second
    expect((await send(server, space.owner, 'GET', 'invitations?select=used_by')).body).toEqual([
      { used_by: winner.id },
    ])
  })

  it('with an address is for the person who has proven it', async () => {
    const space = await makeSpace(server)
    const [invited, other] = [await makeAccount(server), await makeAccount(server)]
    const token = await inviteTo(server, space.owner, 'editor', `${invited.id}@example.com`)
    expect((await rpc(other, 'accept_invitation', { _token: token })).body).toMatchObject({
      hint: 'invitation_of_another',
    })
    expect((await rpc(invited, 'accept_invitation', { _token: token })).body).toMatchObject({
      hint: 'invitation_of_another',
    })
    await server.sql('update auth.users set email_proven_at = now() where id = $1', [invited.id])
    expect((await rpc(invited, 'accept_invitation', { _token: token })).body).toMatchObject({
      id: space.id,
      slug: space.slug,
      role: 'editor',
    })
  })

  it('is refused when it has expired, was withdrawn or was renewed', async () => {
    const space = await makeSpace(server)
    const person = await makeAccount(server)
    const accept = (token: string) => rpc(person, 'accept_invitation', { _token: token })
    const old = await inviteTo(server, space.owner, 'viewer')
    const [row] = (await send(server, space.owner, 'GET', 'invitations?select=id')).body as {
      id: string
    }[]
    const renewed = await rpc(space.owner, 'renew_invitation', { _id: row?.id })
    expect((await accept(old)).status).toBe(404)
    const fresh = new URL(String(renewed.body)).hash.slice(1)
    await server.sql(
      `update app.invitations set expires_at = now() - interval '1 second' where account_id = $1`,
      [space.id],
    )
    expect((await accept(fresh)).body).toMatchObject({ hint: 'invitation_over' })
    const third = await inviteTo(server, space.owner, 'viewer')
    const [open] = (await send(server, space.owner, 'GET', 'invitations?select=id')).body as {
      id: string
    }[]
    expect((await rpc(space.owner, 'revoke_invitation', { _id: open?.id })).status).toBe(204)
    expect((await accept(third)).status).toBe(404)
    expect((await accept(await inviteTo(server, space.owner, 'viewer'))).status).toBe(200)
    expect((await accept(await inviteTo(server, space.owner, 'viewer'))).body).toMatchObject({
      hint: 'member_already',
    })
  })

  it('takes a seat of the plan while it is open', async () => {
    const space = await makeSpace(server, { plan: 'free' })
    await inviteTo(server, space.owner, 'viewer')
    const refused = await rpc(space.owner, 'create_invitation', { _role: 'viewer' })
    expect(refused.body).toMatchObject({ hint: 'plan' })
    await server.sql(`delete from app.invitations where account_id = $1`, [space.id])
    const all = await Promise.all(
      Array.from({ length: 10 }, () => rpc(space.owner, 'create_invitation', { _role: 'viewer' })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('is mailed when it has an address, at most 20 times a day', async () => {
    const space = await makeSpace(server)
    await inviteTo(server, space.owner, 'editor', `mail-${space.slug}@example.com`)
    const mails = await server.sql<{ template: string }>(
      `select template from app.mail_outbox where recipient = $1`,
      [`mail-${space.slug}@example.com`],
    )
    expect(mails).toEqual([{ template: 'space-invitation' }])
  })
})

describe('owners', () => {
  it('are at least one: the last can neither leave, nor be demoted, nor delete the account', async () => {
    const space = await makeSpace(server)
    const me = space.owner.id
    for (const refused of [
      await rpc(space.owner, 'leave_space'),
      await rpc(space.owner, 'set_member_role', { _person: me, _role: 'viewer' }),
      await rpc(space.owner, 'remove_member', { _person: me }),
    ])
      expect([refused.status, refused.body]).toMatchObject([400, { hint: 'last_owner' }])
    const deletion = await fetch(`${server.url}/auth/v1/user`, {
      method: 'DELETE',
      headers: space.owner.headers,
    })
    expect([deletion.status, await deletion.json()]).toMatchObject([
      422,
      { error_code: 'last_owner' },
    ])
    const second = await space.join('owner')
    // Two owners who leave at once.
    const left = await Promise.all([rpc(space.owner, 'leave_space'), rpc(second, 'leave_space')])
    expect(left.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 400])
  })

  it('see addresses of the members; others see names', async () => {
    const space = await makeSpace(server)
    const viewer = await space.join('viewer')
    const emails = async (who: Account) =>
      (
        (await send(server, who, 'GET', 'members?select=email')).body as { email: string | null }[]
      ).map(({ email }) => email !== null)
    expect(await emails(space.owner)).toEqual([true, true])
    expect(await emails(viewer)).toEqual([false, false])
    expect((await send(server, viewer, 'GET', 'invitations')).status).toBe(403)
  })
})

describe('quotas', () => {
  it('of a space on Free are shared with its maker, and deleting the space gives nothing back', async () => {
    const maker = await makeAccount(server)
    const space = await makeSpace(server, { plan: 'free', owner: maker })
    const made = await rpc(space.owner, 'create_links', {
      _links: Array.from({ length: 30 }, (_, i) => ({ original_url: `https://example.com/${i}` })),
    })
    expect(made.status).toBe(200)
    const usage = () => send(server, maker, 'GET', 'user_usage?select=total_shortened_urls')
    expect((await usage()).body).toEqual([{ total_shortened_urls: 30 }])
    const rest = await rpc(maker, 'create_links', {
      _links: Array.from({ length: 21 }, (_, i) => ({ original_url: `https://example.com/${i}` })),
    })
    expect(
      (rest.body as { status: string }[]).filter(({ status }) => status === 'created'),
    ).toHaveLength(20)
    expect((await rpc(space.owner, 'delete_space', { _slug: space.slug })).status).toBe(204)
    expect((await usage()).body).toEqual([{ total_shortened_urls: 50 }])
    const again = await makeSpace(server, { plan: 'free', owner: maker })
    const refused = await send(server, again.owner, 'POST', 'shortened_urls', {
      original_url: 'https://example.com/',
    })
    expect(refused.body).toMatchObject({ message: 'Limit Reached' })
  })
})

describe('a removed member', () => {
  it('has no live stream, key or app of the space any more', async () => {
    const space = await makeSpace(server)
    const member = await space.join('owner')
    const made = await fetch(`${server.url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: { ...member.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Key',
        scopes: ['links:read', 'links:write'],
        expires_in_days: null,
      }),
    })
    const { key } = (await made.json()) as { key: string }
    const program = { headers: { authorization: `Bearer ${key}` } }
    const list = () => send(server, program, 'GET', 'shortened_urls?select=user_id')
    expect((await list()).status).toBe(200)
    // A key is fixed to its account.
    const misled = { headers: { ...program.headers, 'x-hoplet-account': member.id } }
    expect((await send(server, misled, 'GET', 'shortened_urls')).status).toBe(403)
    const agreed = { headers: { ...program.headers, 'x-hoplet-account': space.id } }
    expect((await send(server, agreed, 'GET', 'shortened_urls')).status).toBe(200)

    const stream = await fetch(`${server.url}/functions/v1/live?scope=account`, {
      headers: member.headers,
    })
    expect(stream.status).toBe(200)
    // The key acts with its maker's present role.
    const make = () =>
      send(server, program, 'POST', 'shortened_urls', { original_url: 'https://example.com/' })
    expect((await make()).status).toBe(201)
    await rpc(space.owner, 'set_member_role', { _person: member.id, _role: 'viewer' })
    expect((await make()).status).toBe(403)
    expect((await list()).status).toBe(200)
    expect((await rpc(space.owner, 'remove_member', { _person: member.id })).status).toBe(204)
    expect([401, 403]).toContain((await list()).status)
    // It ends by itself.
    expect(await stream.text()).toContain('"reason":"access"')
  })
})

describe('an export', () => {
  it('of a person names their spaces, and that of a space its people, for owners', async () => {
    const space = await makeSpace(server)
    const editor = await space.join('editor')
    const exported = async (who: Account) => {
      const response = await fetch(`${server.url}/auth/v1/user/export`, { headers: who.headers })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const own = await exported(editor.person)
    expect(own.body).toMatchObject({ spaces: [{ slug: space.slug, role: 'editor' }], members: [] })
    expect(own.body['account']).toMatchObject({ id: editor.id })
    expect((await exported(editor)).status).toBe(403)
    const { body } = await exported(space.owner)
    expect(body).toMatchObject({ account: { id: space.id, kind: 'space' }, sessions: [] })
    expect(body['members']).toHaveLength(2)
    expect(JSON.stringify(body['profile'] ?? '')).not.toContain(editor.id)
  })
})

describe('an admin', () => {
  it('sees spaces with their owners, and has no rights in them', async () => {
    const space = await makeSpace(server)
    const admin = await makeAccount(server, { role: 'admin' })
    const { body } = await rpc(admin, 'admin_users', { _sort: 'created_at', _limit: 1_000 })
    const { rows } = body as { rows: { id: string; owners: string[] | null }[] }
    expect(rows.find(({ id }) => id === space.id)?.owners).toEqual([
      `${space.owner.id}@example.com`,
    ])
    expect(rows.find(({ id }) => id === admin.id)?.owners).toBeNull()
    expect((await send(server, actingFor(space.id, admin), 'GET', 'tags')).status).toBe(403)
    const mine = await makeSpace(server, { owner: admin })
    // Acting for a space, an admin is none.
    expect((await rpc(mine.owner, 'admin_users')).status).toBe(403)
    expect((await rpc(mine.owner, 'session_facts')).body).toMatchObject({ role: 'user' })
    expect((await rpc(admin, 'session_facts')).body).toMatchObject({ role: 'admin' })
  })
})

describe('a space without an owner who can act', () => {
  it('gets one of its members as owner by an admin, who alone may do so', async () => {
    const space = await makeSpace(server)
    const editor = await space.join('editor')
    const admin = await makeAccount(server, { role: 'admin' })
    await server.sql(
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
      [space.owner.id],
    )
    expect((await send(server, space.owner, 'GET', 'tags')).status).toBe(401)
    expect((await send(server, editor, 'GET', 'tags')).status).toBe(200)
    const wanted = { _space: space.id, _person: editor.id }
    expect((await rpc(editor.person, 'admin_make_owner', wanted)).status).toBe(403)
    expect((await rpc(admin, 'admin_make_owner', { ...wanted, _person: admin.id })).status).toBe(
      404,
    )
    expect((await rpc(admin, 'admin_make_owner', wanted)).status).toBe(204)
    expect((await rpc(editor, 'update_space', { _name: 'Ours' })).status).toBe(204)
    const lines = await server.sql(
      `select actor_id as actor from app.audit_log where action = 'space.owner' and target_id = $1`,
      [space.id],
    )
    expect(lines).toEqual([{ actor: admin.id }])
  })
})

describe('the secret of an invitation', () => {
  it('is stored nowhere, also when the request could be repeated', async () => {
    const space = await makeSpace(server)
    const headers = { 'idempotency-key': `invite-${space.id}` }
    const ask = () =>
      send(server, space.owner, 'POST', 'rpc/create_invitation', { _role: 'viewer' }, headers)
    const made = await ask()
    const secret = new URL(String(made.body)).hash.slice(1)
    const stored = await server.sql<{ text: string }>(
      `select r::text as text from app.idempotent_requests r where r.user_id = $1
      union all select i::text from app.invitations i where i.account_id = $1`,
      [space.id],
    )
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect((await ask()).status).toBe(409)
  })
})
