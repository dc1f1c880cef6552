import { beforeAll, expect, it } from 'vitest'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
interface RowAnswer {
  index: number
  status: string
  link?: { short_code: string; original_url: string; external_id: string | null }
  error?: { code: string; message: string }
}
const make = async (who: Account, links: unknown, more: object = {}, headers = {}) => {
  const body = { _links: links, ...more }
  const answer = await send(server, who, 'POST', 'rpc/create_links', body, headers)
  return { ...answer, rows: answer.body as RowAnswer[] }
}
const representation = { prefer: 'return=representation' }
const linksOf = async (who: Account) => {
  const [row] = await server.sql<{ n: number; charged: number }>(
    `select (select count(*)::int from app.shortened_urls where user_id = $1) as n,
      coalesce((select total_shortened_urls from app.user_usage where user_id = $1), 0) as charged`,
    [who.id],
  )
  return row
}

it('the table door takes 1,000 links in one request, makes as many as the plan allows, and once however often it comes', async () => {
  const ann = await makeAccount(server, { plan: 'business' })
  const links = Array.from({ length: 1_000 }, (_, n) => ({
    original_url: `https://example.com/${n}?${'x'.repeat(200)}`,
    external_id: `sku-${n}`,
  }))
  const key = { 'idempotency-key': 'import 1' }
  const first = await make(ann, links, {}, key)
  expect(first.status).toBe(200)
  expect(first.rows.map(({ index, status }) => `${index} ${status}`)).toEqual(
    links.map((_, n) => `${n} ${n < 500 ? 'created' : 'failed'}`),
  )
  expect(first.rows[499]?.link).toMatchObject({ external_id: 'sku-499' })
  expect(first.rows[999]?.error?.message).toBe('Limit Reached')
  const again = await make(ann, links, {}, key)
  // An answer of more than 16 kB is not kept; its rows are found by the ids.
  expect(again).toMatchObject({ status: 409, body: { hint: 'idempotency_answer_not_kept' } })
  const updated = await make(ann, links.slice(0, 2))
  expect(updated.rows.map(({ status }) => status)).toEqual(['updated', 'updated'])
  expect(await linksOf(ann)).toEqual({ n: 500, charged: 500 })
})

it('create_links reports the error of each wrong row, and makes the others', async () => {
  const ann = await makeAccount(server, { plan: 'business' })
  const bob = await makeAccount(server, { plan: 'business' })
  await make(bob, [{ original_url: 'https://example.com/', short_code: 'bulk-taken' }])
  const good = { original_url: 'HTTPS://Example.com/good' }
  const { rows } = await make(ann, [
    good,
    { original_url: 'javascript:alert(1)' },
    { ...good, short_code: 'bulk-taken' },
    { ...good, short_code: 'x' },
    { original_url: null },
    { ...good, user_id: bob.id },
    { ...good, popup_id: '00000000-0000-4000-8000-000000000001', show_popup: true },
    { ...good, show_popup: 'perhaps' },
    { ...good, external_id: 'x'.repeat(300) },
    'text',
    { error: { code: 'mine' } },
    { ...good, short_code: 'bulk-mine', external_id: 'e1' },
    { ...good, short_code: 'bulk-other', external_id: 'e1' },
  ])
  expect(rows.map(({ status, error }) => error?.code ?? status)).toEqual([
    'created',
    '23514',
    '23505',
    '23514',
    '23502',
    '42703',
    '23503',
    '22P02',
    '23514',
    '22023',
    '23502',
    'created',
    '23514',
  ])
  expect(rows[0]?.link?.original_url).toBe('https://example.com/good')
  expect(rows[1]?.error?.message).toBe('Invalid URL')
  expect(rows[2]?.error).toEqual({
    code: '23505',
    message: 'Code Already Taken',
    details: 'This custom code is already in use. Please try another one.',
    hint: null,
  })
  expect(await linksOf(ann)).toEqual({ n: 2, charged: 2 })
})

it('the table door takes a null as none where a column can be empty, and as nothing said elsewhere', async () => {
  const ann = await makeAccount(server, { plan: 'business' })
  const { body } = await send(server, ann, 'POST', 'popups', { title: 'Sale' }, representation)
  const popup = (body as { id: string }[])[0]?.id
  const link = { original_url: 'https://example.com/', external_id: 'nulls', short_code: null }
  const stored = async () => {
    const query = 'shortened_urls?external_id=eq.nulls&select=original_url,show_popup,popup_id'
    return (await send(server, ann, 'GET', query)).body
  }
  await make(ann, [{ ...link, show_popup: true, popup_id: popup }])
  await make(ann, [{ ...link, original_url: null, show_popup: null }])
  expect(await stored()).toEqual([
    { original_url: link.original_url, show_popup: true, popup_id: popup },
  ])
  const { rows } = await make(ann, [{ external_id: 'nulls', show_popup: false, popup_id: null }])
  expect(rows[0]?.link).toEqual({
    id: expect.any(String) as unknown,
    short_code: expect.any(String) as unknown,
    external_id: 'nulls',
  })
  expect(await stored()).toEqual([
    { original_url: link.original_url, show_popup: false, popup_id: null },
  ])
})

it('the table door makes none when one fails and all or nothing was asked for', async () => {
  const ann = await makeAccount(server, { plan: 'business' })
  const links = [{ original_url: 'https://example.com/' }, { original_url: 'https://' }]
  const refused = await make(ann, links, { _all_or_nothing: true })
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'PT400', message: '1 of 2 links failed, so none was made' },
  })
  expect(JSON.parse((refused.body as { details: string }).details)).toMatchObject([{ index: 1 }])
  expect(await linksOf(ann)).toEqual({ n: 0, charged: 0 })
})

it('the table door holds to the plan, the size and the number of rows', async () => {
  const ann = await makeAccount(server)
  const link = { original_url: 'https://example.com/' }
  const { rows } = await make(
    ann,
    Array.from({ length: 60 }, () => link),
  )
  const made = rows.filter(({ status }) => status === 'created').length
  expect(made).toBeGreaterThan(0)
  expect(made).toBeLessThan(60)
  expect(rows.at(-1)?.error?.message).toBe('Limit Reached')
  expect(
    (
      await make(
        ann,
        Array.from({ length: 1_001 }, () => link),
      )
    ).status,
  ).toBe(400)
  expect((await make(ann, [{ ...link, x: 'x'.repeat(1_100_000) }])).status).toBe(413)
  expect((await make(ann, { ...link })).status).toBe(400)
  expect((await send(server, undefined, 'POST', 'rpc/create_links', { _links: [] })).status).toBe(
    401,
  )
})

it('the table door limits guesses of codes as single inserts do, even when a row has another error', async () => {
  const limited = await startTestServer({ rateLimits: true })
  const original_url = 'https://example.com/'
  const ask = async (who: Account, links: object[]) => {
    const { body } = await send(limited, who, 'POST', 'rpc/create_links', { _links: links })
    return (body as RowAnswer[]).map(({ status, error }) => error?.code ?? status)
  }
  const asGuesses = (codes: string[]) => codes.filter((code) => code !== 'PT429').length
  try {
    const ann = await makeAccount(limited, { plan: 'business' })
    const bob = await makeAccount(limited)
    const taken = Array.from({ length: 40 }, (_, n) => `guess-${n + 1}`)
    const links = taken.map((code) => ({ code, url: original_url }))
    await plantLinks(limited.sql, links, bob.id)

    // Control: links that are made are no guesses, and neither are rows without a code.
    const own = Array.from({ length: 15 }, (_, n) => ({
      original_url,
      short_code: `mine-${n}`,
      external_id: `mine-${n}`,
    }))
    for (const done of ['created', 'updated', 'updated', 'updated'])
      expect(await ask(ann, own)).toEqual(own.map(() => done))

    // No popup has this id: whether a code is free shows in the code of the error.
    const popup_id = '00000000-0000-4000-8000-000000000001'
    const failing = taken.map((short_code, n) => ({
      original_url,
      short_code: n % 2 === 0 ? short_code : `${short_code}-free`,
      popup_id,
      show_popup: true,
    }))
    const answers = await ask(ann, failing)
    expect(answers.slice(0, 4)).toEqual(['23505', '23503', '23505', '23503'])
    expect(asGuesses(answers)).toBeGreaterThanOrEqual(30)
    expect(asGuesses(answers)).toBeLessThan(40)
    expect(asGuesses(await ask(ann, failing))).toBeLessThan(30)
    expect(await ask(ann, [{ original_url }])).toEqual(['created'])
  } finally {
    await limited.close()
  }
})
