import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { popupViewOf } from '#server/visits/visitor-pages/popup-view.ts'
import { send } from './accounts.ts'
import { acceptedBy, makeOwner, type Owner } from './rows.ts'

let server: TestServer
let ann: Owner
let bob: Owner

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeOwner(server)
  bob = await makeOwner(server)
})
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
const insert = (row: object) =>
  send(
    server,
    ann.account,
    'POST',
    'popups',
    { user_id: ann.account.id, title: 'x', ...row },
    single,
  )
const change = (id: string, row: object, who = ann) =>
  send(server, who.account, 'PATCH', `popups?id=eq.${id}`, row, { prefer: 'count=exact' })

describe('a popup that collects email addresses and keeps none', () => {
  const refused = {
    status: 400,
    body: {
      code: '23514',
      message: 'To collect email addresses, the button URL must start with https://',
      details: null,
    },
  }

  const collects = { collect_email: true, keep_emails: false }

  it('needs an https address, when it is made', async () => {
    for (const cta_url of [null, '', 'http://crm.example/in', 'HTTP://crm.example/']) {
      expect(await insert({ ...collects, cta_url })).toMatchObject(refused)
    }
    expect(await insert(collects)).toMatchObject(refused)
    for (const cta_url of ['https://crm.example/in', 'HTTPS://CRM.example']) {
      expect(await insert({ ...collects, cta_url })).toMatchObject({ status: 201 })
    }
  })

  it('keeps it: neither half can be changed away', async () => {
    const made = await insert({ ...collects, cta_url: 'https://crm.example/in' })
    const { id } = made.body as { id: string }
    expect(await change(id, { cta_url: 'http://crm.example/in' })).toMatchObject(refused)
    expect(await change(id, { cta_url: null })).toMatchObject(refused)
    expect(await change(ann.popup, collects)).toMatchObject(refused)
    expect((await change(id, { collect_email: false, cta_url: null })).status).toBe(204)
    expect((await change(id, { collect_email: true, cta_url: 'https://a.example/' })).status).toBe(
      204,
    )
  })

  it('needs none where Hoplet keeps the addresses', async () => {
    expect((await insert({ collect_email: true })).status).toBe(201)
    expect(await insert({ collect_email: true, cta_url: 'http://crm.example/' })).toMatchObject(
      refused,
    )
  })

  it('cannot be changed by another account', async () => {
    const row = { collect_email: true, cta_url: 'https://evil.example/' }
    await change(ann.popup, row, bob)
    const anonymous = await send(server, undefined, 'PATCH', `popups?id=eq.${ann.popup}`, row)
    expect(anonymous).toMatchObject({ status: 401, body: { code: '42501' } })
    expect(
      await server.sql('select collect_email, cta_url from app.popups where id = $1', [ann.popup]),
    ).toEqual([{ collect_email: false, cta_url: null }])
  })
})

describe('the picture of a popup', () => {
  const own = `/media/${'0a'.repeat(32)}`
  const shown = [
    `${own}.webp`,
    `${own}.png`,
    'https://cdn.example/a.png',
    'https://cdn.example/a/b.PNG?width=2',
    'https://cdn.example/a.jpg',
    'https://cdn.example/a.jpeg#x',
    'https://cdn.example:8443/a.webp?x=/y',
  ]
  const refused = [
    'http://cdn.example/a.png',
    'https://cdn.example/a.svg',
    'https://cdn.example/a.SVG?x=.png',
    'https://cdn.example/a.svg#.png',
    'https://cdn.example/a.png?b=c.svg',
    'https://cdn.example/pixel',
    'https://cdn.example/pixel?a.png',
    'https://cdn.example/#a.png',
    'https://cdn.example.png',
    'https://cdn.example/a.gif',
    'https://cdn.example/a.html',
    '/media/a.webp',
    `${own}.svg`,
    `${own}.webp?x`,
    `/media/../${'a'.repeat(64)}.png`,
  ]
  const never = [
    'data:image/png;base64,AA==',
    'data:image/svg+xml,<svg/>',
    'javascript:alert(1)//.png',
    '//cdn.example/a.png',
    'https://user@cdn.example/a.png',
  ]

  it.each(shown)('may be %s, and visitors see it', async (image_url) => {
    const { status, body } = await insert({ image_url })
    expect(status).toBe(201)
    expect(body).toMatchObject({ image_url })
    const view = popupViewOf(body as Parameters<typeof popupViewOf>[0])
    expect(view?.image_url).toBe(image_url)
  })

  it('may be none', async () => {
    expect((await insert({ image_url: '' })).status).toBe(201)
    expect((await insert({ image_url: null })).status).toBe(201)
  })

  it.each(refused)('cannot be %s', async (image_url) => {
    const answer = {
      status: 400,
      body: {
        code: '23514',
        message: 'Please use a PNG, JPEG or WebP image whose address starts with https://',
      },
    }
    expect(await insert({ image_url })).toMatchObject(answer)
    expect(await change(ann.popup, { image_url })).toMatchObject(answer)
  })

  it.each(never)('cannot be %s, which is not an address at all', async (image_url) => {
    expect(await insert({ image_url })).toMatchObject({
      status: 400,
      body: { code: '23514', message: 'Invalid URL' },
    })
  })

  it('is refused by the database when no door checks it first', async () => {
    const all = [...refused, ...never, ...shown]
    expect(await acceptedBy(server, 'popups.image_url', all)).toEqual(shown)
  })
})

describe('the delay of a popup', () => {
  it('is 0 to 10 seconds', async () => {
    for (const trigger_delay of [1e9, 'NaN', 'Infinity', '-Infinity', -1, 10.01, -0.001]) {
      expect({ trigger_delay, ...(await insert({ trigger_delay })) }).toMatchObject({
        status: 400,
        body: { code: '23514', message: 'The delay must be between 0 and 10 seconds' },
      })
    }
    for (const trigger_delay of [0, 2.5, 10]) {
      expect((await insert({ trigger_delay })).status).toBe(201)
    }
  })
})
