import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platforms } from '#domain/bio/platforms.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'
import { makeOwner, type Owner } from './rows.ts'

let server: TestServer
let ann: Account
let bea: Owner

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeAccount(server, { plan: 'business' })
  bea = await makeOwner(server, 'bea')
})
afterAll(() => server.close())

const reserved = {
  status: 400,
  body: { code: '23514', message: 'This name is reserved. Please choose another one.' },
}
const makePage = (who: Account, slug: string, title = 'Ann') =>
  send(server, who, 'POST', 'bio_pages', { user_id: who.id, slug, title })
const savePage = (who: Account, page: object) =>
  send(server, who, 'POST', 'rpc/save_bio_page', { page })
const rename = (title: string) =>
  send(server, bea.account, 'PATCH', `bio_pages?id=eq.${bea.page}`, { title })
const makeLink = (who: Account, short_code: string) =>
  send(server, who, 'POST', 'shortened_urls', {
    user_id: who.id,
    original_url: 'https://example.com/',
    short_code,
  })

// Each imitates a brand's name.
const slugs = ['paypal', 'PayPal', 'pay-pal', 'pay_pal', 'p4yp4l', 'paypa1', 'g00gle', 'micros0ft']
const more = ['1nstagram', 'd1scord', '8inance', 'ne7flix', 'we115fargo', 'b4nk-0f-4mer1c4']
const titles = [
  'PayPal',
  '@paypal',
  ' Pay Pal ',
  'PayPal™',
  'Pаypаl', // Cyrillic а
  'ΡауΡаl', // Greek Rho, Cyrillic а and у
  'ＰａｙＰａｌ',
  '𝐏𝐚𝐲𝐏𝐚𝐥',
  'Pay\u200BPal ✅',
  'Páypal',
  'Bank of America',
  'Crypto.com',
]
const plain = ['paypal-fans', 'ann-paypal', 'palpay', 'pays', 'mygoogle', 'applepie', 'ann-1']

describe('a bio page', () => {
  it.each([...slugs, ...more])('cannot be called %s', async (slug) => {
    expect(await makePage(ann, slug)).toMatchObject(reserved)
    expect(await savePage(ann, { slug, title: 'Ann' })).toMatchObject(reserved)
    expect(await server.sql(`select 1 from app.names where owner_id = $1`, [ann.id])).toEqual([])
  })

  it.each(titles)('cannot have the title %s', async (title) => {
    expect(await makePage(ann, 'anns-own', title)).toMatchObject(reserved)
    expect(await savePage(ann, { slug: 'anns-own', title })).toMatchObject(reserved)
    expect(await rename(title)).toMatchObject(reserved)
    expect(await savePage(bea.account, { title })).toMatchObject(reserved)
  })

  it('may have a name and a title that only hold one, or are close to one', async () => {
    for (const slug of plain) {
      const person = await makeAccount(server)
      expect({ slug, ...(await makePage(person, slug, `${slug} fans`)) }).toMatchObject({
        status: 201,
      })
    }
    for (const title of ['I love PayPal', 'Paula', '日本', '✨', 'Visual arts']) {
      expect({ title, ...(await rename(title)) }).toMatchObject({ status: 204 })
    }
  })

  it('is refused only because of the list', async () => {
    await server.sql(`delete from app.reserved_brands where name = 'etsy'`)
    expect((await makePage(await makeAccount(server), 'etsy', 'Etsy')).status).toBe(201)
    await server.sql(`insert into app.reserved_brands (name) values ('etsy')`)
    expect((await makePage(await makeAccount(server), 'e7-sy')).status).toBe(400)
  })

  it('from before keeps its name and title, and can be saved', async () => {
    const old = await makeOwner(server, 'oldpage')
    await server.sql(`insert into app.reserved_brands (name) values ('oldpage'), ('kept')`)
    expect(await savePage(old.account, { slug: 'oldpage', title: 'Kept' })).toMatchObject({
      status: 200,
    })
    expect(
      await send(server, old.account, 'PATCH', `bio_pages?id=eq.${old.page}`, {
        title: 'Kept',
        description: 'New words',
      }),
    ).toMatchObject({ status: 204 })
    expect(await savePage(old.account, { title: 'Old page' })).toMatchObject(reserved)
  })

  it('of an admin may, and of the service', async () => {
    const admin = await makeAccount(server, { role: 'admin' })
    expect((await makePage(admin, 'paypal', 'PayPal')).status).toBe(201)
    const service = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
    const row = { user_id: ann.id, slug: 'netflix', title: 'Netflix' }
    expect((await send(server, service, 'POST', 'bio_pages', row)).status).toBe(201)
    await server.sql(`delete from app.bio_pages where slug = 'netflix'`)
  })

  it('is refused to people who are not signed in before anything is looked at', async () => {
    const row = { user_id: ann.id, slug: 'spotify', title: 'x' }
    expect(await send(server, undefined, 'POST', 'bio_pages', row)).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
  })
})

describe('a custom code', () => {
  it.each(['paypal', 'P4y-Pal', 'g00gle', '-visa-'])('cannot be %s', async (code) => {
    const used = () =>
      server.sql(
        'select total_custom_codes, total_shortened_urls from app.user_usage where user_id = $1',
        [ann.id],
      )
    const before = await used()
    expect(await makeLink(ann, code)).toMatchObject({
      status: 409,
      body: {
        code: '23505',
        message: 'Code Already Taken',
        details: 'This custom code is already in use. Please try another one.',
      },
    })
    expect(await used()).toEqual(before)
  })

  it('may hold one, and an admin may have it', async () => {
    expect((await makeLink(ann, 'paypal-2026')).status).toBe(201)
    const admin = await makeAccount(server, { role: 'admin', plan: 'business' })
    expect((await makeLink(admin, 'Google')).status).toBe(201)
  })
})

it('the server reserves the names of the places that social links lead to, and widely known brands', async () => {
  const rows = await server.sql<{ name: string }>('select name from app.reserved_brands')
  const names = rows.map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(150)
  const places = platforms.map(({ id }) => id as string)
  const words = ['website', 'email', 'threads']
  expect(places.filter((id) => !words.includes(id) && !names.includes(id))).toEqual([])
})

it('the server lets no client read or write the list of brands', async () => {
  for (const role of ['anon', 'authenticated', 'service_role', 'hoplet_visits', 'hoplet_worker']) {
    const [row] = await server.sql<{ may: boolean }>(
      `select has_any_column_privilege($1, 'app.reserved_brands', 'select, insert, update') as may`,
      [role],
    )
    expect([role, row?.may]).toEqual([role, false])
  }
})
