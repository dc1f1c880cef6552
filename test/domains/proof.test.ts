import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, makeAccount } from '../tables/accounts.ts'
import {
  addDomain,
  ask,
  checkNow,
  type DomainAnswer,
  type DomainStage,
  publish,
  startDomainStage,
} from './stage.ts'

let stage: DomainStage
let owner: Account
beforeAll(async () => {
  stage = await startDomainStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  stage.site.answer = undefined
  stage.site.asked.length = 0
  owner = await makeAccount(stage.server, { plan: 'business' })
})

let made = 0
const newHost = () => `go${made++}.brand.example`
const placeAt = (host: string) => stage.server.context.hosts.knownPlaceAt(host)?.prefix

it('a domain with right records and a host that answers is verified and served', async () => {
  const added = await addDomain(stage.server, owner, 'Go.Brand.Example.')
  expect(added).toMatchObject({
    is_verified: false,
    problem: null,
    checked_at: null,
    link_count: 0,
  })
  const [proof, direction] = added.records
  expect(proof).toMatchObject({ type: 'TXT', name: '_hoplet.go.brand.example', found: false })
  expect(proof?.value).toMatch(/^hoplet=[0-9a-f]{32}$/)
  expect(direction).toMatchObject({ type: 'CNAME', name: 'go.brand.example', value: 'hop.example' })

  publish(stage, added)
  const checked = await checkNow(stage, owner, added.id)
  expect(checked).toMatchObject({
    id: added.id,
    is_verified: true,
    is_probed: true,
    problem: null,
    has_certificate: true,
  })
  expect(Date.parse(checked.certificate_ends_at ?? '')).toBeGreaterThan(Date.now())
  expect(checked.records.every(({ found }) => found)).toBe(true)
  expect(stage.site.asked).toEqual([
    expect.stringMatching(/^go\.brand\.example:\d+\/\.well-known\/hoplet$/),
  ])
  await expect.poll(() => placeAt('go.brand.example')).toBe(`${added.id}/`)
  const { body } = await ask(stage.server, owner, 'GET', `domains?id=eq.${added.id}`)
  expect(body).toEqual([checked])
})

describe('a registered domain', () => {
  it('gets the addresses of the host of links, because it cannot have a CNAME', async () => {
    const added = await addDomain(stage.server, owner, 'apex.example')
    // Before the first check nobody knows them.
    expect(added.records[1]).toMatchObject({ type: 'CNAME' })
    const checked = await checkNow(stage, owner, added.id)
    expect(checked).toMatchObject({ problem: 'txt-missing', is_verified: false, is_probed: false })
    expect(checked.records.slice(1)).toEqual([
      { type: 'A', name: 'apex.example', value: '127.0.0.1', found: false },
    ])
    publish(stage, checked)
    expect(await checkNow(stage, owner, added.id)).toMatchObject({
      is_verified: true,
      // The certificate is for *.brand.example.
      has_certificate: false,
    })
  })

  it('gets those of DOMAIN_ADDRESSES', async () => {
    const other = await startDomainStage({ addresses: ['127.0.0.1', '::1'], probes: false })
    try {
      const person = await makeAccount(other.server)
      const added = await addDomain(other.server, person, 'apex.example')
      expect(added.records.slice(1).map(({ type, value }) => `${type} ${value}`)).toEqual([
        'A 127.0.0.1',
        'AAAA ::1',
      ])
      const [proof] = added.records
      other.dns.set('_hoplet.apex.example', { TXT: [proof?.value ?? ''] })
      other.dns.set('apex.example', { AAAA: ['::1'] })
      const checked = await checkNow(other, person, added.id)
      expect(checked).toMatchObject({ is_verified: true, is_probed: false, has_certificate: false })
      expect(checked.records.map(({ found }) => found)).toEqual([true, false, true])
      expect(other.site.asked).toEqual([])
    } finally {
      await other.close()
    }
  })
})

/** A domain with the right proof, and perhaps other records. */
async function withProof(records: Parameters<DomainStage['dns']['set']>[1]): Promise<DomainAnswer> {
  const added = await addDomain(stage.server, owner, newHost())
  const [proof] = added.records
  stage.dns.set(`_hoplet.${added.host}`, { TXT: [proof?.value ?? ''] })
  stage.dns.set(added.host, records)
  return added
}

describe('the problem of a domain', () => {
  const problemOf = async ({ id }: DomainAnswer) => {
    const { problem, is_verified: isVerified } = await checkNow(stage, owner, id)
    expect(isVerified).toBe(false)
    return problem
  }

  it('is a missing TXT record, although others are there', async () => {
    const added = await addDomain(stage.server, owner, newHost())
    stage.dns.set(added.host, { CNAME: ['hop.example'] })
    stage.dns.set(`_hoplet.${added.host}`, { TXT: ['hoplet=', `hoplet=${'0'.repeat(32)}`, 'x'] })
    expect(await problemOf(added)).toBe('txt-missing')
    expect(stage.site.asked).toEqual([])
  })

  it('is a direction that is missing or leads elsewhere', async () => {
    expect(await problemOf(await withProof({}))).toBe('direction-missing')
    expect(await problemOf(await withProof({ A: ['198.51.100.1'] }))).toBe('direction-missing')
    const half = await withProof({ A: ['127.0.0.1', '198.51.100.1'] })
    expect(await problemOf(half)).toBe('direction-missing')
    expect(stage.site.asked).toEqual([])
  })

  it('is a loop of CNAME records', async () => {
    const added = await withProof({ CNAME: ['a.loop.example'] })
    stage.dns.set('a.loop.example', { CNAME: ['b.loop.example'] })
    stage.dns.set('b.loop.example', { CNAME: ['a.loop.example'] })
    expect(await problemOf(added)).toBe('cname-loop')
    const itself = await withProof({})
    stage.dns.set(itself.host, { CNAME: [itself.host] })
    expect(await problemOf(itself)).toBe('cname-loop')
  })

  it('is a chain of CNAME records that is too long to follow', async () => {
    const added = await withProof({ CNAME: ['n0.long.example'] })
    for (let n = 0; n < 30; n++)
      stage.dns.set(`n${n}.long.example`, { CNAME: [`n${n + 1}.long.example`] })
    expect(await problemOf(added)).toMatch(/^(direction-missing|dns-slow)$/)
  })

  it('is a name server that answers after 30 seconds, which the check does not wait for', async () => {
    const added = await withProof({ CNAME: ['hop.example'] })
    stage.dns.delay(`_hoplet.${added.host}`, 30_000)
    expect(await problemOf(added)).toBe('dns-slow')
    const late = await withProof({ A: ['127.0.0.1'] })
    stage.dns.delay(late.host, 30_000)
    expect(await problemOf(late)).toBe('dns-slow')
  })

  it('is the proxy of Cloudflare, by its addresses or its answer', async () => {
    expect(await problemOf(await withProof({ A: ['104.16.1.1'] }))).toBe('proxied')
    stage.site.answer = (response) => response.writeHead(525, { server: 'cloudflare' }).end()
    expect(await problemOf(await withProof({ CNAME: ['hop.example'] }))).toBe('proxied')
  })

  it('is another server at the host', async () => {
    const added = await withProof({ CNAME: ['hop.example'] })
    for (const body of ['', 'Hello', 'null', '{"hoplet":"other"}', 'x'.repeat(100_000)]) {
      stage.site.answer = (response) => response.end(body)
      expect(await problemOf(added)).toBe('other-server')
    }
    stage.site.answer = (response) =>
      response.writeHead(302, { location: 'https://hop.example/' }).end()
    expect(await problemOf(added)).toBe('other-server')
  })

  it('is a host that does not answer, and CAA records when they are the cause', async () => {
    stage.site.answer = (response) => response.socket?.destroy()
    expect(await problemOf(await withProof({ CNAME: ['hop.example'] }))).toBe('unreachable')
    const excluded = await withProof({ A: ['127.0.0.1'], CAA: ['0 issue digicert.com'] })
    expect(await problemOf(excluded)).toBe('caa')
    // It applies to the hosts below as well, unless they have their own.
    stage.dns.set('shop.example', { CAA: ['0 issue ;'] })
    const below = await addDomain(stage.server, owner, 'go.shop.example')
    publish(stage, below)
    expect(await problemOf(below)).toBe('caa')
    stage.dns.set('go.shop.example', { A: ['127.0.0.1'], CAA: ['0 issue letsencrypt.org'] })
    expect(await problemOf(below)).toBe('unreachable')
  })
})

describe('records that still are right', () => {
  it.each([
    ['a text of 64 kB beside the proof', (proof: string) => ['x'.repeat(60_000), proof]],
    ['many texts', (proof: string) => [...Array.from({ length: 40 }, (_, n) => `v${n}`), proof]],
    ['blanks around it', (proof: string) => [` ${proof} `]],
  ])('have %s', async (_name, textsOf) => {
    const added = await withProof({ CNAME: ['hop.example'] })
    stage.dns.set(`_hoplet.${added.host}`, { TXT: textsOf(added.records[0]?.value ?? '') })
    expect(await checkNow(stage, owner, added.id)).toMatchObject({ is_verified: true })
  })

  it('have a chain of several CNAME records', async () => {
    const added = await withProof({ CNAME: ['cname.brand.example'] })
    stage.dns.set('cname.brand.example', { CNAME: ['HOP.example'] })
    expect(await checkNow(stage, owner, added.id)).toMatchObject({ is_verified: true })
  })

  it('a host behind a proxy stays verified by its own answer', async () => {
    const added = await withProof({ CNAME: ['hop.example'] })
    expect(await checkNow(stage, owner, added.id)).toMatchObject({ is_verified: true })
    // The answers change: those of the proxy for the three questions of the check, ours for the connection.
    let asked = 0
    stage.dns.set(added.host, () => ({ A: [asked++ < 3 ? '104.16.1.1' : '127.0.0.1'] }))
    expect(await checkNow(stage, owner, added.id)).toMatchObject({
      is_verified: true,
      problem: null,
    })
    const [row] = await stage.server.sql<{ seen: string; proven: boolean }>(
      `select found ->> 'addresses' as seen, is_proven as proven from app.domains where id = $1`,
      [added.id],
    )
    expect(row).toEqual({ seen: '["104.16.1.1"]', proven: true })
  })
})

it('a host may have a certificate as soon as its records are right, and before it answers', async () => {
  const { hosts } = stage.server.context
  const allowed: boolean[] = []
  const added = await withProof({ CNAME: ['hop.example'] })
  stage.site.answer = (response) => {
    allowed.push(hosts.mayHaveCertificate(added.host))
    response.socket?.destroy()
  }
  expect(hosts.mayHaveCertificate(added.host)).toBe(false)
  await checkNow(stage, owner, added.id)
  // The second question comes when servers have heard of the first.
  expect(allowed).toHaveLength(2)
  expect(allowed[1]).toBe(true)
  expect(placeAt(added.host)).toBeUndefined()
  stage.dns.remove(`_hoplet.${added.host}`)
  await checkNow(stage, owner, added.id)
  await expect.poll(() => hosts.mayHaveCertificate(added.host)).toBe(false)
})

it('an answer at a private address is not read, unless the operator allows it', async () => {
  const closed = await startDomainStage({}, {}, false)
  try {
    const person = await makeAccount(closed.server)
    const added = await addDomain(closed.server, person, 'go.brand.example')
    publish(closed, added)
    expect(await checkNow(closed, person, added.id)).toMatchObject({ problem: 'unreachable' })
    expect(closed.site.asked).toEqual([])
  } finally {
    await closed.close()
  }
})

it('two checks of one domain at once are one, and the other person waits for a while', async () => {
  const added = await withProof({ CNAME: ['hop.example'] })
  const path = 'rpc/check_domain'
  const answers = await Promise.all(
    [1, 2, 3].map(() => ask(stage.server, owner, 'POST', path, { _id: added.id })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429])
  expect(stage.site.asked).toHaveLength(1)
  const foreign = await makeAccount(stage.server)
  const refused = await ask(stage.server, foreign, 'POST', path, { _id: added.id })
  expect([refused.status, refused.body]).toEqual([
    404,
    expect.objectContaining({ message: 'This domain does not exist.' }),
  ])
})
