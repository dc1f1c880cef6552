import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, makeAccounts } from '../tables/accounts.ts'
import { plantLinks } from '../visits/plant.ts'
import { visit } from '../visits/visit.ts'
import { callWebhooks } from '../webhooks/calls.ts'
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
let ann: Account
let bob: Account
beforeAll(async () => {
  // Hosts are not asked: the proof alone changes hands.
  stage = await startDomainStage({ probes: false })
  // Emails wait: one that is sent loses its data.
  await stage.server.sql(
    `alter table app.mail_outbox alter column next_attempt_at set default 'infinity'`,
  )
})
afterAll(() => stage.close())
beforeEach(async () => {
  const [first, second] = await makeAccounts(stage.server, 2, { plan: 'business' })
  if (!first || !second) throw new Error('no accounts')
  ann = first
  bob = second
})

let made = 0
const newHost = () => `life${made++}.brand.example`
const proofOf = ({ records }: DomainAnswer) => records[0]?.value ?? ''
const setProofs = (host: string, ...owners: DomainAnswer[]) =>
  stage.dns.set(`_hoplet.${host}`, { TXT: owners.map(proofOf) })
const rowOf = async (person: Account, { id }: DomainAnswer) => {
  const { body } = await ask(stage.server, person, 'GET', `domains?id=eq.${id}`)
  return (body as DomainAnswer[])[0]
}

/** The address that a visitor of a host gets to; undefined for a name that is missing there. */
const follow = async (host: string, name: string) => {
  const { location } = await visit(stage.server.url, `/${name}`, { headers: { host } })
  return location === '/404' ? undefined : location
}

/** A domain of the account with a link `menu`, verified. */
async function verified(owner: Account, host = newHost(), url = 'https://example.com/') {
  const added = await addDomain(stage.server, owner, host)
  publish(stage, added)
  await plantLinks(stage.server.sql, [{ code: `${added.id}/menu`, url }], owner.id)
  const checked = await checkNow(stage, owner, added.id)
  expect(checked).toMatchObject({ is_verified: true, problem: null, link_count: 1 })
  await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBe(url)
  return checked
}

const mailsTo = async ({ id }: Account) =>
  stage.server.sql<{ template: string; data: Record<string, unknown> }>(
    `select template, data from app.mail_outbox where recipient = $1 || '@example.com' order by created_at, id`,
    [id],
  )

/** A webhook of the account; its events so far, as `type problem`. */
async function listenTo(owner: Account) {
  const { status } = await callWebhooks(stage.server, owner.headers, 'POST', '', {
    url: 'http://127.0.0.1:9/',
    events: ['domain.verified', 'domain.lost'],
  })
  expect(status).toBe(201)
  return async () => {
    const rows = await stage.server.sql<{ body: string }>(
      `select e.body from app.webhook_events e join app.webhooks w on w.id = e.webhook_id where w.user_id = $1 order by e.id`,
      [owner.id],
    )
    return rows.map(({ body }) => {
      const { type, data } = JSON.parse(body) as {
        type: string
        data: { domain: { id: number; host: string; problem: string | null } }
      }
      return `${type} ${data.domain.host} ${data.domain.problem}`
    })
  }
}

describe('two accounts with one host', () => {
  it('the second one is served only when the proof of the first is gone, and the links stay apart', async () => {
    const host = newHost()
    const [annsEvents, bobsEvents] = [await listenTo(ann), await listenTo(bob)]
    const first = await verified(ann, host, 'https://ann.example/')
    const second = await addDomain(stage.server, bob, host)
    await plantLinks(
      stage.server.sql,
      [
        { code: `${second.id}/menu`, url: 'https://bob.example/' },
        { code: `${second.id}/only-bob`, url: 'https://bob.example/only' },
      ],
      bob.id,
    )
    // Without a proof, and with both: everything stays.
    expect(await checkNow(stage, bob, second.id)).toMatchObject({ problem: 'txt-missing' })
    setProofs(host, first, second)
    expect(await checkNow(stage, bob, second.id)).toMatchObject({
      problem: 'taken',
      is_verified: false,
    })
    expect(await checkNow(stage, ann, first.id)).toMatchObject({ is_verified: true, problem: null })
    expect(await follow(host, 'menu')).toBe('https://ann.example/')
    expect(await follow(host, 'only-bob')).toBeUndefined()

    setProofs(host, second)
    expect(await checkNow(stage, bob, second.id)).toMatchObject({
      is_verified: true,
      problem: null,
    })
    await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBe('https://bob.example/')
    expect(await rowOf(ann, first)).toMatchObject({
      is_verified: false,
      problem: 'taken',
      link_count: 1,
    })
    expect(await mailsTo(ann)).toMatchObject([
      { template: 'domain-lost', data: { host, isTaken: true } },
    ])
    expect(await mailsTo(bob)).toEqual([])
    expect(await annsEvents()).toEqual([
      `domain.verified ${host} null`,
      `domain.lost ${host} taken`,
    ])
    expect(await bobsEvents()).toEqual([`domain.verified ${host} null`])
    // The way back is the same.
    setProofs(host, first)
    expect(await checkNow(stage, ann, first.id)).toMatchObject({ is_verified: true })
    await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBe('https://ann.example/')
  })

  it('one of them is served when both are checked at once', async () => {
    const host = newHost()
    const [first, second] = [
      await addDomain(stage.server, ann, host),
      await addDomain(stage.server, bob, host),
    ]
    publish(stage, first)
    setProofs(host, first, second)
    await Promise.all([checkNow(stage, ann, first.id), checkNow(stage, bob, second.id)])
    const served = await stage.server.sql('select from app.domains where host = $1 and is_served', [
      host,
    ])
    expect(served).toHaveLength(1)
  })

  it('a domain that is removed frees the host at once', async () => {
    const host = newHost()
    const first = await verified(ann, host)
    const second = await addDomain(stage.server, bob, host)
    setProofs(host, first, second)
    expect(await checkNow(stage, bob, second.id)).toMatchObject({ problem: 'taken' })
    await ask(stage.server, ann, 'DELETE', `domains?id=eq.${first.id}`)
    await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBeUndefined()
    expect(await checkNow(stage, bob, second.id)).toMatchObject({ is_verified: true })
    expect(await follow(host, 'menu')).toBeUndefined()
  })
})

describe('a domain with wrong records', () => {
  /** Checks by the job, as if the first wrong check had been so many days ago. */
  const after = async ({ id }: DomainAnswer, days: number) => {
    await stage.server.sql(
      `update app.domains set next_check_at = now(),
        failing_since = case when $2 > 0 then now() - make_interval(days => $2) end where id = $1`,
      [id, days],
    )
    await stage.server.context.domainChecks.runPass()
  }

  it('is served for 30 more days, with emails at 14 and 28, then not, and again when they are right', async () => {
    const events = await listenTo(ann)
    const host = newHost()
    const domain = await verified(ann, host)
    stage.dns.set(host, { A: ['198.51.100.1'] })
    await after(domain, 0)
    expect(await rowOf(ann, domain)).toMatchObject({
      is_verified: true,
      problem: 'direction-missing',
    })
    expect(await mailsTo(ann)).toEqual([])
    expect(stage.server.context.hosts.mayHaveCertificate(host)).toBe(true)
    for (const days of [13, 14, 15, 28, 29]) await after(domain, days)
    expect(await follow(host, 'menu')).toBe('https://example.com/')
    expect(await mailsTo(ann)).toMatchObject([
      { template: 'domain-failing', data: { host, days: 16, lacksProof: false } },
      { template: 'domain-failing', data: { host, days: 2, lacksProof: false } },
    ])
    await after(domain, 30)
    await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBeUndefined()
    expect(stage.server.context.hosts.mayHaveCertificate(host)).toBe(false)
    expect((await mailsTo(ann)).at(-1)).toMatchObject({
      template: 'domain-lost',
      data: { host, isTaken: false },
    })
    expect(await events()).toEqual([
      `domain.verified ${host} null`,
      `domain.lost ${host} direction-missing`,
    ])

    stage.dns.set(host, { CNAME: ['hop.example'] })
    expect(await checkNow(stage, ann, domain.id)).toMatchObject({
      is_verified: true,
      problem: null,
    })
    await expect.poll(() => follow(host, 'menu'), { timeout: 30_000 }).toBe('https://example.com/')
    expect((await events()).at(-1)).toBe(`domain.verified ${host} null`)
  })

  it('that was not proven for 30 days is removed, unless it has links', async () => {
    const [plain, linked, fresh] = [
      await addDomain(stage.server, ann, newHost()),
      await addDomain(stage.server, ann, newHost()),
      await addDomain(stage.server, ann, newHost()),
    ]
    const kept = await verified(bob)
    await plantLinks(
      stage.server.sql,
      [{ code: `${linked.id}/menu`, url: 'https://example.com/' }],
      ann.id,
    )
    await stage.server.sql(
      `update app.domains set created_at = now() - interval '31 days' where id = any ($1)`,
      [[plain.id, linked.id, kept.id]],
    )
    await stage.server.context.domainChecks.runPass()
    const left = await stage.server.sql<{ id: number }>(
      'select id from app.domains where id = any ($1) order by id',
      [[plain.id, linked.id, fresh.id, kept.id]],
    )
    expect(left.map(({ id }) => id)).toEqual([linked.id, fresh.id, kept.id])
  })
})

describe('the job', () => {
  it('checks the due domains, the others later', async () => {
    const due = await addDomain(stage.server, ann, newHost())
    publish(stage, due)
    const later = await addDomain(stage.server, ann, newHost())
    await stage.server.sql(
      `update app.domains set next_check_at = now() + interval '1 hour' where id = $1`,
      [later.id],
    )
    await stage.server.context.domainChecks.runPass()
    expect(await rowOf(ann, due)).toMatchObject({ is_verified: true })
    expect(await rowOf(ann, later)).toMatchObject({ checked_at: null })
    const [next] = await stage.server.sql<{ hours: string }>(
      'select round(extract(epoch from next_check_at - now()) / 3600) as hours from app.domains where id = $1',
      [due.id],
    )
    expect(Number(next?.hours)).toBe(24)
  })

  it('goes on after a domain that it cannot check', async () => {
    const [broken, due] = [
      await addDomain(stage.server, ann, newHost()),
      await addDomain(stage.server, ann, newHost()),
    ]
    publish(stage, due)
    await stage.server.sql(`
      create function app.broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update of checked_at on app.domains for each row when (new.id = ${broken.id})
        execute function app.broken()`)
    await stage.server.sql(
      `update app.domains set next_check_at = now() - interval '1 day' where id = $1`,
      [broken.id],
    )
    await stage.server.context.domainChecks.runPass()
    await stage.server.context.domainChecks.runPass()
    await stage.server.sql('drop function app.broken() cascade')
    expect(await rowOf(ann, due)).toMatchObject({ is_verified: true })
    expect(await rowOf(ann, broken)).toMatchObject({ checked_at: null })
  })

  it('ends without a trace when the domain is removed during its check', async () => {
    const added = await addDomain(stage.server, ann, newHost())
    publish(stage, added)
    stage.dns.delay(added.host, 700)
    const check = ask(stage.server, ann, 'POST', 'rpc/check_domain', { _id: added.id })
    await expect
      .poll(() => stage.dns.asked.some((each) => each.endsWith(` ${added.host}`)))
      .toBe(true)
    await ask(stage.server, ann, 'DELETE', `domains?id=eq.${added.id}`)
    expect(await check).toMatchObject({ status: 200, body: null })
    expect(await follow(added.host, 'menu')).toBeUndefined()
    expect(
      await stage.server.sql('select from app.former_domains where id = $1', [added.id]),
    ).toHaveLength(1)
  })
})

it('a blocked host and those below it are not served until the block ends', async () => {
  const events = await listenTo(ann)
  const [domain, control] = [await verified(ann), await verified(bob)]
  await stage.server.sql(`insert into app.blocks (kind, value) values ('host', $1)`, [domain.host])
  await expect.poll(() => follow(domain.host, 'menu'), { timeout: 30_000 }).toBeUndefined()
  expect(stage.server.context.hosts.mayHaveCertificate(domain.host)).toBe(false)
  expect(await rowOf(ann, domain)).toMatchObject({ is_verified: false, problem: 'blocked' })
  expect(await checkNow(stage, ann, domain.id)).toMatchObject({ problem: 'blocked' })
  expect(await follow(control.host, 'menu')).toBe('https://example.com/')
  await stage.server.sql('delete from app.blocks where value = $1', [domain.host])
  await stage.server.context.domainChecks.runPass()
  await expect
    .poll(() => follow(domain.host, 'menu'), { timeout: 30_000 })
    .toBe('https://example.com/')
  expect(await events()).toEqual([
    `domain.verified ${domain.host} null`,
    `domain.lost ${domain.host} blocked`,
    `domain.verified ${domain.host} null`,
  ])
})

it('the export of an account has its domains', async () => {
  const domain = await verified(ann)
  const response = await fetch(`${stage.server.url}/auth/v1/user/export`, { headers: ann.headers })
  const { domains } = (await response.json()) as { domains: DomainAnswer[] }
  expect(domains).toMatchObject([{ id: domain.id, host: domain.host }])
})

it('no visit to a host finds a link of an account without its proof, in any order of events', async () => {
  const actions = fc.constantFrom(
    'proof',
    'both',
    'none',
    'direction',
    'check',
    'remove',
    'add',
    'block',
  )
  const step = fc.record({ action: actions, who: fc.constantFrom(0, 1) })
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const host = newHost()
      const people = await makeAccounts(stage.server, 2)
      const rows: (DomainAnswer | undefined)[] = []
      const add = async (who: number) => {
        const person = people[who]
        if (!person || rows[who]) return
        const row = await addDomain(stage.server, person, host)
        rows[who] = row
        const { id } = row
        await stage.server.sql(
          `begin; set local session_replication_role = replica;
           delete from app.names where name like '${id}/%'; delete from app.shortened_urls where short_code like '${id}/%'; commit`,
        )
        await plantLinks(
          stage.server.sql,
          [
            { code: `${id}/menu`, url: `https://example.com/${who}` },
            { code: `${id}/only-${who}`, url: `https://example.com/${who}` },
          ],
          person.id,
        )
      }
      for (const who of [0, 1]) await add(who)
      stage.dns.set(host, { CNAME: ['hop.example'] })
      for (const { action, who } of steps) {
        const [person, row] = [people[who], rows[who]]
        if (action === 'none') setProofs(host)
        else if (action === 'both') setProofs(host, ...rows.filter((each) => each !== undefined))
        else if (action === 'direction') stage.dns.set(host, { CNAME: ['hop.example'] })
        else if (action === 'block') {
          await stage.server.sql(`insert into app.blocks (kind, value) values ('host', $1)`, [host])
          await stage.server.sql('delete from app.blocks where value = $1', [host])
        } else if (action === 'add') await add(who)
        else if (!person || !row) continue
        else if (action === 'proof') setProofs(host, row)
        else if (action === 'check') await checkNow(stage, person, row.id)
        else {
          await ask(stage.server, person, 'DELETE', `domains?id=eq.${row.id}`)
          rows[who] = undefined
        }
        answered += await expectOneOwner(host)
      }
    }),
    { numRuns: 12 },
  )
  expect(answered).toBeGreaterThan(0)
}, 240_000)

/** Compares the answers of a host with the row that the database serves. @returns 1 if there is one */
async function expectOneOwner(host: string): Promise<number> {
  const served = await stage.server.sql<{ id: number }>(
    'select id from app.domains where host = $1 and is_served',
    [host],
  )
  expect(served.length).toBeLessThanOrEqual(1)
  const prefix = served[0] && `${served[0].id}/`
  await expect
    .poll(() => stage.server.context.hosts.knownPlaceAt(host)?.prefix, { timeout: 30_000 })
    .toBe(prefix)
  const [url] = await stage.server.sql<{ url: string }>(
    'select original_url as url from app.shortened_urls where short_code = $1',
    [`${prefix}menu`],
  )
  await sleep(0)
  expect(await follow(host, 'menu')).toBe(url?.url)
  const only = await Promise.all([0, 1].map((who) => follow(host, `only-${who}`)))
  expect(only.filter((found) => found !== undefined)).toEqual(url ? [url.url] : [])
  return served.length
}
