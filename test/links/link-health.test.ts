import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { LinkHealth } from '#web/api/database.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { startDestinations } from './destination-stage.ts'

const answer =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_asked, response) =>
    void response.writeHead(status, headers).end()
const redirect = (status: number, location: string) => answer(status, { location })

let isDown = true
const pages: Record<string, RequestListener> = {
  fine: answer(200),
  missing: answer(404),
  gone: answer(410),
  locked: answer(401),
  hidden: answer(403),
  busy: answer(429),
  broken: (_asked, response) => void response.writeHead(isDown ? 503 : 200).end(),
  down: answer(500),
  slow: () => {},
  endless: (_asked, response) => {
    response.writeHead(200)
    response.write('x'.repeat(1_000))
  },
  'no-head': ({ method }, response) => void response.writeHead(method === 'HEAD' ? 405 : 200).end(),
  'bad-head': ({ method }, response) =>
    void response.writeHead(method === 'HEAD' ? 404 : 200).end(),
  'cut-head': ({ method, socket }, response) => {
    if (method === 'HEAD') socket.destroy()
    else response.writeHead(200).end()
  },
  old: redirect(301, 'https://middle.example.com/'),
  middle: redirect(308, 'https://new.example.com/page'),
  'old-then-found': redirect(301, 'https://found.example.com/'),
  found: redirect(302, 'https://fine.example.com/'),
  'old-then-gone': redirect(301, 'https://gone.example.com/'),
  'to-private': redirect(301, 'https://private.example.com/'),
  'to-address': redirect(301, 'http://127.0.0.1/'),
  'to-us': redirect(301, 'https://go.example/sale'),
  'to-app': redirect(301, 'intent://open'),
  loop: redirect(301, 'https://loop.example.com/'),
  five: redirect(301, 'https://four.example.com/'),
  four: redirect(301, 'https://three.example.com/'),
  three: redirect(301, 'https://two.example.com/'),
  two: redirect(301, 'https://one.example.com/'),
  one: redirect(301, 'https://zero.example.com/'),
  six: redirect(301, 'https://five.example.com/'),
}

let destinations: Awaited<ReturnType<typeof startDestinations>>
let server: TestServer
const timing = { timeoutMs: 400, hostIntervalMs: 10 }
beforeAll(async () => {
  destinations = await startDestinations(pages)
  server = await startTestServer(
    { checkLinks: true, publicUrl: 'https://go.example' },
    { getPublic: destinations.getPublic, linkCheckTiming: timing },
  )
})
afterAll(async () => {
  await server.close()
  destinations.close()
})

const addressOf = (name: string) => `https://${name}.example.com/`
async function makeLinks(owner: TestUser, names: readonly string[]) {
  for (const name of names) await makeLink(server, owner, { original_url: addressOf(name) })
}
/** As if all checks were made so many hours earlier. */
const passHours = (hours: number, on = server) =>
  on.sql(
    `update app.destination_checks set checked_at = checked_at - $1 * interval '1 hour',
      since = since - $1 * interval '1 hour', asked_at = asked_at - $1 * interval '1 hour'`,
    [hours],
  )
const check = (on = server) => on.context.linkChecks?.runPass()
async function call<Answer>(user: TestUser, name: string, args: object = {}, on = server) {
  const response = await fetch(`${on.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Answer }
}
/** Findings by the name of the destination: `dead 404`, `moved https://…`. */
async function findingsOf(user: TestUser) {
  const { body } = await call<LinkHealth>(user, 'link_health', { _limit: 1_000 })
  const entries = body.links.map(({ original_url: url, finding, reason, new_url: newUrl }) => [
    new URL(url).hostname.split('.')[0] ?? '',
    `${finding} ${reason ?? newUrl}`,
  ])
  return Object.fromEntries(entries) as Record<string, string>
}
const askedOf = (name: string) =>
  destinations.asked.filter((one) => one.name === name).map(({ method }) => method)

it('a dead page, a moved one and a bad certificate are findings; a page that answers is none', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const fine = [
    'fine',
    'locked',
    'hidden',
    'busy',
    'endless',
    'no-head',
    'bad-head',
    'cut-head',
    'tls-good',
  ]
  const bad = [
    'missing',
    'gone',
    'tls-expired',
    'tls-own',
    'tls-other',
    'old',
    'old-then-found',
    'old-then-gone',
    'five',
  ]
  await makeLinks(owner, [...fine, ...bad])
  await check()
  expect(await findingsOf(owner)).toEqual({
    missing: 'dead 404',
    gone: 'dead 410',
    'tls-expired': 'certificate expired',
    'tls-own': 'certificate self-signed',
    'tls-other': 'certificate other-name',
    old: 'moved https://new.example.com/page',
    'old-then-found': 'moved https://found.example.com/',
    'old-then-gone': 'dead 410',
    five: 'moved https://zero.example.com/',
  })
  expect(askedOf('fine').slice(0, 1)).toEqual(['HEAD'])
  expect(askedOf('no-head')).toEqual(['HEAD', 'GET'])
  expect(askedOf('bad-head')).toEqual(['HEAD', 'GET'])
  expect(askedOf('cut-head')).toEqual(['HEAD', 'GET'])
  expect(askedOf('tls-good')).toEqual(['HEAD'])
  const agents = new Set(destinations.asked.map(({ agent }) => agent))
  expect([...agents]).toEqual([
    expect.stringMatching(/^Hoplet-Link-Check\/\d+\.\d+\.\d+ \(\+https:\/\/go\.example\)$/),
  ])
})

it('a private address is never asked, neither first nor by a redirect, and is no finding', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  await makeLinks(owner, ['private', 'to-private', 'to-address', 'to-us', 'to-app', 'loop', 'six'])
  await makeLink(server, owner, { original_url: 'http://127.0.0.1/secret' })
  await makeLink(server, owner, { original_url: 'http://plain.example.com/page#part' })
  await check()
  expect(await findingsOf(owner)).toEqual({})
  const names = destinations.asked.map(({ name }) => name)
  expect(names).not.toContain('private')
  expect(names).not.toContain('127')
  expect(names).not.toContain('go')
  // The control: a public name of the same server, over http too, and without its fragment.
  expect(destinations.asked.find(({ name }) => name === 'plain')?.url).toBe('/page')
  expect(names).toContain('to-private')
  expect(askedOf('loop')).toHaveLength(6)
})

it('a destination that fails is dead after a day of failures, and fine when it answers again', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  await makeLinks(owner, ['broken', 'down', 'slow', 'nowhere', 'refused'])
  await check()
  expect(await findingsOf(owner)).toEqual({})
  await passHours(25)
  isDown = false
  await check()
  const dead = {
    down: 'dead 500',
    slow: 'dead timeout',
    nowhere: 'dead name',
    refused: 'dead refused',
  }
  expect(await findingsOf(owner)).toEqual(dead)
  isDown = true
  await passHours(25)
  await check()
  // The failure of two days ago is forgotten.
  expect(await findingsOf(owner)).toEqual(dead)
  pages['down'] = answer(200)
  await passHours(25)
  await check()
  expect(await findingsOf(owner)).toMatchObject({ broken: 'dead 503' })
  expect(await findingsOf(owner)).not.toHaveProperty('down')
})

it('an address is checked once for all of its links, and again after a day', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  await makeLinks(owner, ['twice', 'twice'])
  await makeLink(server, owner, { original_url: addressOf('off'), short_code: 'off-link' })
  await server.sql(`update app.shortened_urls set is_disabled = true where short_code = 'off-link'`)
  await check()
  await check()
  expect(askedOf('twice')).toHaveLength(1)
  expect(askedOf('off')).toEqual([])
  await passHours(25)
  await check()
  expect(askedOf('twice')).toHaveLength(2)
})

it('an account has 2,000 checks a day, the longest unchecked first', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  await server.sql(
    `insert into app.destination_checks (user_id, address_hash, checked_at)
      select $1, sha256(convert_to('https://gone/' || n, 'UTF8')), now() from generate_series(1, 1995) n`,
    [owner.id],
  )
  const names = Array.from({ length: 8 }, (_, n) => `limit-${n}`)
  await makeLinks(owner, names)
  for (const [n, name] of names.entries())
    await server.sql(
      `insert into app.destination_checks (user_id, address_hash, checked_at)
        values ($1, sha256(convert_to($2, 'UTF8')), now() - $3 * interval '1 day')`,
      [owner.id, addressOf(name), n + 2],
    )
  await check()
  const checked = names.filter((name) => askedOf(name).length > 0)
  expect(checked).toEqual(names.slice(3))
  // On another day the rest comes, and the checks of addresses without a link go.
  await passHours(24)
  await check()
  expect(names.filter((name) => askedOf(name).length > 0)).toEqual(names)
  const [left] = await server.sql<{ count: string }>(
    'select count(*) from app.destination_checks where user_id = $1',
    [owner.id],
  )
  expect(Number(left?.count)).toBe(names.length)
})

it('the owner updates the link to where it moved, and the finding goes with the address', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const link = await makeLink(server, owner, { original_url: addressOf('old') })
  await check()
  const one = (id: string) =>
    fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${id}&user_id=eq.${owner.id}`, {
      headers: owner.headers,
    }).then(async (response) => (await response.json()) as { destination_finding: string | null }[])
  expect(await one(link.id)).toMatchObject([{ destination_finding: 'moved' }])
  const kinds = await call<{ findings: boolean }>(owner, 'link_kinds')
  expect(kinds.body.findings).toBe(true)
  await fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${link.id}`, {
    method: 'PATCH',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ original_url: 'https://new.example.com/page' }),
  })
  expect(await one(link.id)).toMatchObject([{ destination_finding: null }])
  expect(await findingsOf(owner)).toEqual({})
})

it('an owner checks a link again now, not twice a minute, and no link of another', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const other = await makeUser(server, { plan: 'business' })
  pages['mended'] = answer(404)
  const link = await makeLink(server, owner, { original_url: addressOf('mended') })
  const args = { _link: link.id }
  expect(await call(owner, 'check_destination', args)).toMatchObject({ status: 409 })
  await check()
  expect(await findingsOf(owner)).toEqual({ mended: 'dead 404' })
  expect(await call(other, 'check_destination', args)).toMatchObject({ status: 404 })
  expect((await call(other, 'destination_check', args)).body).toBeNull()
  pages['mended'] = answer(200)
  expect(await call(owner, 'check_destination', args)).toMatchObject({ status: 204 })
  expect(await call(owner, 'check_destination', args)).toMatchObject({ status: 429 })
  await expect.poll(() => findingsOf(owner), { timeout: 20_000 }).toEqual({})
  expect((await call(owner, 'destination_check', args)).body).toMatchObject({
    finding: null,
    is_asked: false,
  })
  await server.sql(
    `insert into app.destination_checks (user_id, address_hash, checked_at, asked_at)
      select $1, sha256(convert_to('https://asked/' || n, 'UTF8')), now(), now() from generate_series(1, 59) n`,
    [owner.id],
  )
  await server.sql(
    `update app.destination_checks set asked_at = now() - interval '2 minutes' where asked_link = $1`,
    [link.id],
  )
  expect(await call(owner, 'check_destination', args)).toMatchObject({
    status: 429,
    body: { message: 'You can check 60 destinations again in an hour.' },
  })
})

it('a host gets one request at a time by the clock, whoever has the links', async () => {
  const own = await startTestServer(
    { checkLinks: true },
    {
      getPublic: destinations.getPublic,
      linkCheckTiming: { timeoutMs: 5_000, hostIntervalMs: 200 },
    },
  )
  try {
    for (const n of [1, 2]) {
      const user = await makeUser(own, { plan: 'business' })
      for (const page of ['a', 'b', 'c'])
        await makeLink(own, user, { original_url: `https://paced.example.com/${n}${page}` })
    }
    await check(own)
    const times = destinations.asked.filter(({ name }) => name === 'paced').map(({ at }) => at)
    expect(times).toHaveLength(6)
    // Requests may be late, so that two of them come closer together.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900)
  } finally {
    await own.close()
  }
})

it('many destinations of one account at a slow host keep another waiting for few of them', async () => {
  const many = await makeUser(server, { plan: 'business' })
  const few = await makeUser(server, { plan: 'business' })
  for (let n = 0; n < 12; n++)
    await makeLink(server, many, { original_url: `https://slow-${n}.example.com/` })
  for (let n = 0; n < 12; n++) pages[`slow-${n}`] = () => {}
  await makeLinks(few, ['quick'])
  const from = destinations.asked.length
  await check()
  const order = destinations.asked.slice(from).map(({ name }) => name)
  expect(order).toContain('slow-11')
  expect(order.indexOf('quick')).toBeLessThan(4)
})

it('the weekly email has the numbers of findings, once, for those who asked', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const quiet = await makeUser(server, { plan: 'business' })
  expect((await call(owner, 'click_mails')).body).toMatchObject({ health: null })
  for (const user of [owner, quiet]) await makeLinks(user, ['gone', 'missing', 'old', 'fine'])
  await check()
  expect((await call(owner, 'click_mails')).body).toMatchObject({ health: false })
  await call(owner, 'set_click_mails', { _health: true })
  expect((await call(owner, 'click_mails')).body).toMatchObject({ health: true, weekly: false })
  // One of the two is past Monday, eight o'clock.
  await server.sql(
    `update app.profiles set time_zone = (select zone from unnest('{Pacific/Kiritimati,Etc/GMT+12}'::text[]) zone
      where now() at time zone zone >= date_trunc('week', now() at time zone zone) + interval '8 hours' limit 1)`,
  )
  await server.context.linkChecks?.mails.run()
  await server.context.linkChecks?.mails.run()
  const mails = await server.sql(
    `select key, data from app.mail_outbox where template = 'link-health'`,
  )
  expect(mails).toEqual([
    {
      key: expect.stringContaining(`health:${owner.id}:`),
      data: { dead: 2, moved: 1, certificate: 0 },
    },
  ])
})

it('without CHECK_LINKS nothing is asked, and findings go', async () => {
  const off = await startTestServer({}, { getPublic: destinations.getPublic })
  try {
    const owner = await makeUser(off, { plan: 'business' })
    await makeLink(off, owner, { original_url: addressOf('never') })
    expect(off.context.linkChecks).toBeUndefined()
    await off.sql(
      `insert into app.destination_checks (user_id, address_hash, checked_at, finding, since)
        values ($1, sha256(convert_to($2, 'UTF8')), now() - interval '1 minute', 'dead', now())`,
      [owner.id, addressOf('never')],
    )
    const findings = async () =>
      (await call<LinkHealth>(owner, 'link_health', {}, off)).body.links.length
    expect(await findings()).toBe(1)
    await off.context.retention.run()
    expect(await findings()).toBe(0)
    expect(askedOf('never')).toEqual([])
  } finally {
    await off.close()
  }
  // The control: where destinations are checked, those findings stay.
  const [before] = await server.sql<{ count: string }>(
    'select count(*) from app.destination_checks',
  )
  await server.context.retention.run()
  const [after] = await server.sql<{ count: string }>('select count(*) from app.destination_checks')
  expect(Number(before?.count)).toBeGreaterThan(0)
  expect(after).toEqual(before)
})
