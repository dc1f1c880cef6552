import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compose } from '#server/mail/deliver.ts'
import { type MailingServer, startMailingServer } from '#test/auth/mailed/mailbox.ts'
import { recordLog } from '#test/record-log.ts'
import { send } from '#test/tables/accounts.ts'
import { give, makeAudience } from './give.ts'

let server: MailingServer
const log = recordLog()
beforeAll(async () => {
  server = await startMailingServer({}, log.log)
})
afterAll(() => server.close())

async function askedAudience() {
  const audience = await makeAudience(server)
  const settings = { _retention_days: null, _double_opt_in: true }
  const { status } = await send(server, audience.owner, 'POST', 'rpc/save_audience', settings)
  expect(status).toBe(204)
  return audience
}

it('a setting of the audience that is left out stays, and null keeps leads for good', async () => {
  const { owner } = await askedAudience()
  const save = async (settings: object) => {
    const { status } = await send(server, owner, 'POST', 'rpc/save_audience', settings)
    expect(status).toBe(204)
    const { body } = await send(server, owner, 'POST', 'rpc/audience', {})
    return body
  }
  expect(await save({ _retention_days: 30 })).toMatchObject({
    retention_days: 30,
    double_opt_in: true,
  })
  expect(await save({ _double_opt_in: false })).toMatchObject({
    retention_days: 30,
    double_opt_in: false,
  })
  expect(await save({ _retention_days: null })).toMatchObject({
    retention_days: null,
    double_opt_in: false,
  })
})

const stateOf = async (popup: string) =>
  (
    await server.sql<{ state: string }>('select state from app.leads where popup_id = $1', [popup])
  ).map(({ state }) => state)

/** The addresses of the two buttons. */
async function linksFor(email: string) {
  const { text = '' } = (await server.mailFor(email)).parsed
  const [confirm, leave] = ['confirm', 'leave'].map(
    (page) => new RegExp(`\\S+(/audience/${page}/[\\w-]+)`).exec(text)?.[1] ?? '',
  )
  return { confirm: confirm ?? '', leave: leave ?? '' }
}

/** Presses the button of every mail to an address. */
async function confirmAll(email: string) {
  for (const { parsed } of await server.mailsFor(email)) {
    const path = /\S+(\/audience\/confirm\/[\w-]+)/.exec(parsed.text ?? '')?.[1]
    if (path !== undefined) await press(path, ours)
  }
}

const press = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', headers, body: new URLSearchParams() })
const ours = { 'sec-fetch-site': 'same-origin' }

describe('an address with double opt-in', () => {
  it('counts after the press of the button in its mail, and a webhook learns of it then', async () => {
    const audience = await askedAudience()
    await server.sql(
      `insert into app.webhooks (user_id, url, events, secret) values ($1, 'https://example.com/', '{lead.created}', 'x')`,
      [audience.owner.id],
    )
    const events = async () =>
      (
        await server.sql<{ n: number }>(
          `select count(*)::int as n from app.webhook_events e join app.webhooks w on w.id = e.webhook_id where w.user_id = $1`,
          [audience.owner.id],
        )
      )[0]?.n
    const answer = await give(server, audience, 'ann@example.com')
    const said = await answer.text()
    expect(said).toContain('Please confirm your address with the button in our email')
    // Once, however often it is typed.
    expect(await (await give(server, audience, 'ANN@example.com')).text()).toBe(said)
    expect(await server.mailsFor('ann@example.com')).toHaveLength(1)
    const { confirm } = await linksFor('ann@example.com')
    const page = await fetch(`${server.url}${confirm}`)
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'same-origin'])
    expect(await page.text()).not.toContain('ann@example.com')
    expect([await stateOf(audience.popup), await events()]).toEqual([['pending'], 0])
    expect((await press(confirm, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await press(confirm, ours)).status).toBe(200)
    expect([await stateOf(audience.popup), await events()]).toEqual([['confirmed'], 1])
    // No one learns that the address is confirmed.
    expect(await (await give(server, audience, 'ann@example.com')).text()).toBe(said)
    // A double click, or the mail once more.
    const second = await press(confirm, ours)
    expect(await second.text()).toContain('Your address is confirmed.')
    expect([second.status, await events()]).toEqual([200, 1])
    expect((await press('/audience/confirm/guess', ours)).status).toBe(404)
  })

  it('leaves with one press, also of a mail program, and can come back', async () => {
    const audience = await askedAudience()
    await give(server, audience, 'bob@example.com')
    const { confirm, leave } = await linksFor('bob@example.com')
    await press(confirm, ours)
    expect((await fetch(`${server.url}${leave}`)).status).toBe(200)
    expect(await stateOf(audience.popup)).toEqual(['confirmed'])
    // RFC 8058: without a page before it.
    const oneClick = await fetch(`${server.url}${leave}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect(oneClick.status).toBe(200)
    expect(await stateOf(audience.popup)).toEqual(['unsubscribed'])
    expect((await press(confirm, ours)).status).toBe(404)
    await give(server, audience, 'bob@example.com')
    expect((await stateOf(audience.popup)).sort()).toEqual(['pending', 'unsubscribed'])
    for (const guess of ['guess', '%00', 'a%00', '%F0%9F%98%80']) {
      expect((await press(`/audience/leave/${guess}`)).status).toBe(404)
      expect((await fetch(`${server.url}/audience/leave/${guess}`)).status).toBe(404)
    }
  })

  it('leaves all popups of an account, and no other account', async () => {
    const first = await askedAudience()
    const second = await makeAudience(server, {}, first.owner)
    const other = await askedAudience()
    await give(server, first, 'Zoe@example.com')
    const { confirm, leave } = await linksFor('Zoe@example.com')
    await press(confirm, ours)
    await give(server, second, 'zoe@example.com')
    await give(server, other, 'zoe@example.com')
    expect((await press(leave)).status).toBe(200)
    expect(await stateOf(first.popup)).toEqual(['unsubscribed'])
    expect(await stateOf(second.popup)).toEqual([])
    expect(await stateOf(other.popup)).toEqual(['pending'])
    const settings = { _double_opt_in: false }
    await send(server, first.owner, 'POST', 'rpc/save_audience', settings)
    for (const popup of [first, second]) await give(server, popup, 'zoe@example.com')
    await confirmAll('zoe@example.com')
    expect(await stateOf(first.popup)).toEqual(['confirmed'])
    expect(await stateOf(second.popup)).toEqual(['confirmed'])
    const [given] = await server.sql<{ unsubscribe_token: string }>(
      'select unsubscribe_token from app.leads where popup_id = $1',
      [second.popup],
    )
    await press(`/audience/leave/${given?.unsubscribe_token}`)
    expect(await stateOf(first.popup)).toEqual(['unsubscribed'])
    expect(await stateOf(second.popup)).toEqual(['unsubscribed'])
  })

  it('comes back only after a confirmation, although the account asks for none', async () => {
    const audience = await makeAudience(server)
    const other = await makeAudience(server, {}, audience.owner)
    const first = await give(server, audience, 'Ivy@example.com')
    const said = await first.text()
    await server.sql(`update app.leads set tags = '{vip}' where popup_id = $1`, [audience.popup])
    const [lead] = await server.sql<{ unsubscribe_token: string }>(
      'select unsubscribe_token from app.leads where popup_id = $1',
      [audience.popup],
    )
    await press(`/audience/leave/${lead?.unsubscribe_token}`)
    // Anyone can type an address, with any popup of the account.
    for (const place of [audience, other, audience]) {
      const again = await give(server, place, 'ivy@EXAMPLE.com')
      expect([again.status, await again.text()]).toEqual([200, said])
    }
    expect((await stateOf(audience.popup)).sort()).toEqual(['pending', 'unsubscribed'])
    expect(await stateOf(other.popup)).toEqual(['pending'])
    // Control: a new address needs no confirmation, and reads the same.
    const fresh = await give(server, other, 'new-one@example.com')
    expect(await fresh.text()).toBe(said)
    expect((await stateOf(other.popup)).sort()).toEqual(['confirmed', 'pending'])
    await confirmAll('ivy@example.com')
    expect(
      await server.sql('select state, tags from app.leads where popup_id = $1', [audience.popup]),
    ).toEqual([{ state: 'confirmed', tags: ['vip'] }])
  })

  it('gets the mail again after ten minutes, with a link that works like the first', async () => {
    const audience = await askedAudience()
    const first = await give(server, audience, 'kim@example.com')
    const said = await first.text()
    const { confirm } = await linksFor('kim@example.com')
    const askedBefore = (minutes: number) =>
      server.sql(
        `update app.leads set asked_at = now() - make_interval(mins => $2) where popup_id = $1`,
        [audience.popup, minutes],
      )
    await askedBefore(9)
    await give(server, audience, 'kim@example.com')
    expect(await server.mailsFor('kim@example.com')).toHaveLength(1)
    await askedBefore(11)
    const again = await give(server, audience, 'kim@example.com')
    expect(await again.text()).toBe(said)
    const mails = await server.mailsFor('kim@example.com')
    expect(mails).toHaveLength(2)
    for (const { parsed } of mails) expect(parsed.text).toContain(confirm)
    expect((await press(confirm, ours)).status).toBe(200)
    expect(await stateOf(audience.popup)).toEqual(['confirmed'])
    await askedBefore(11)
    await give(server, audience, 'kim@example.com')
    expect(await server.mailsFor('kim@example.com')).toHaveLength(2)
  })

  it('has in its mail the owner, popup, consent and whole address', async () => {
    const audience = await askedAudience()
    await server.sql(`update app.profiles set display_name = 'Böll & <b>Söhne</b>' where id = $1`, [
      audience.owner.id,
    ])
    await server.sql(
      `update app.popups set title = 'Новости', consent_text = 'Weekly "news"' where id = $1`,
      [audience.popup],
    )
    await give(server, audience, 'lea@example.com', { version: '2' })
    const { text = '', html = '', subject } = (await server.mailFor('lea@example.com')).parsed
    expect(subject).toBe('Confirm for Böll & <b>Söhne</b>')
    for (const fact of [
      'From: Böll & <b>Söhne</b>',
      'Popup: Новости',
      'Consent: Weekly "news"',
      `Address: ${server.url}/${audience.code}`,
    ])
      expect(text).toContain(fact)
    expect(html).not.toContain('<b>Söhne')
    // The control: an account without a name.
    await server.sql('update app.profiles set display_name = null where id = $1', [
      audience.owner.id,
    ])
    await give(server, audience, 'leo@example.com', { version: '2' })
    const { subject: nameless } = (await server.mailFor('leo@example.com')).parsed
    expect(nameless).toBe('Confirm your email address')
  })

  it('is deleted when it leaves unconfirmed, or after a week', async () => {
    const audience = await askedAudience()
    await give(server, audience, 'eve@example.com')
    await press((await linksFor('eve@example.com')).leave)
    expect(await stateOf(audience.popup)).toEqual([])
    await give(server, audience, 'old@example.com')
    await server.sql(
      `update app.leads set created_at = now() - interval '8 days' where popup_id = $1`,
      [audience.popup],
    )
    await server.sql('select app.delete_old_leads(100)')
    expect(await stateOf(audience.popup)).toEqual([])
    // Its mail went with it.
    expect(
      await server.sql(
        `select id from app.mail_outbox where recipient in ('eve@example.com', 'old@example.com')`,
      ),
    ).toEqual([])
  })
})

it.each([
  '/audience/confirm/guess',
  '/audience/leave/guess',
  `/analytics/shared/${'a'.repeat(43)}`,
])('without the database %s is a page that can be opened again', async (path) => {
  const { DatabaseUnavailableError } = await import('#server/postgres/database.ts')
  const { database } = server.context
  const { transactionAs } = database
  database.transactionAs = () => Promise.reject(new DatabaseUnavailableError('gone'))
  try {
    const page = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await page.text()).toContain(`<a class="notice-action" href="${path}">Try again`)
    const pressed = await press(path, { ...ours, accept: 'text/html' })
    expect(await pressed.text()).toContain('wait a moment, then go back')
    // A mail program reads the status.
    expect((await press(path, ours)).headers.get('content-type')).toBe('application/json')
  } finally {
    database.transactionAs = transactionAs
  }
})

it('the mail says how to unsubscribe with one press (RFC 8058)', () => {
  const { headers } = compose(
    {
      id: 'x',
      template: 'lead-confirmation',
      recipient: 'ann@example.com',
      data: { link: '/audience/confirm/a', unsubscribe: '/audience/leave/b', code: 'spring' },
      created_at: new Date(),
    },
    {
      from: { name: 'Hoplet', address: 'mail@go.example' },
      site: { publicUrl: 'https://go.example', linksUrl: 'https://go.example' },
    },
  )
  expect(headers).toMatchObject({
    'List-Unsubscribe': '<https://go.example/audience/leave/b>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

it('retention deletes older leads only', async () => {
  const audience = await makeAudience(server)
  for (const email of ['new@example.com', 'older@example.com']) await give(server, audience, email)
  await server.sql(
    `update app.leads set created_at = now() - interval '31 days' where email like 'older@%'`,
  )
  await server.sql('select app.delete_old_leads(100)')
  expect(await stateOf(audience.popup)).toHaveLength(2)
  const settings = { _retention_days: 30, _double_opt_in: false }
  await send(server, audience.owner, 'POST', 'rpc/save_audience', settings)
  await server.sql('select app.delete_old_leads(100)')
  expect(
    await server.sql('select email from app.leads where popup_id = $1', [audience.popup]),
  ).toEqual([{ email: 'new@example.com' }])
})

it('no log line has an address or a token of a mail', () => {
  const text = JSON.stringify(log.lines)
  expect(text).toContain('/audience/confirm/…')
  expect(text).not.toMatch(/(ann|bob|eve|old|new|older)@example\.com/i)
  expect(text).not.toMatch(/audience\/(confirm|leave)\/[\w-]{20}/)
})
