import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '#test/database.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '#test/tables/accounts.ts'
import { createBrokenDatabase, linesOf, makeChain, payInvoice } from './plant.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const track = (who: Account | undefined, referred: string, code: string) =>
  send(server, who, 'POST', 'rpc/track_referral', {
    _referred_user_id: referred,
    _referrer_code: code,
  })
const addCode = (who: Account, code: string) =>
  send(server, who, 'POST', 'affiliate_codes', { user_id: who.id, code })

/** An account of that age, with a code. */
async function makeAffiliate(code: string, hours: number): Promise<Account> {
  const account = await makeAccount(server)
  await server.sql(
    `update auth.users set created_at = now() - $2 * interval '1 hour' where id = $1`,
    [account.id, hours],
  )
  expect((await addCode(account, code)).status).toBe(201)
  return account
}

async function referrerOf(account: Account): Promise<string | undefined> {
  const [row] = await server.sql<{ id: string }>(
    'select referrer_user_id as id from app.referrals where referred_user_id = $1',
    [account.id],
  )
  return row?.id
}

describe('self-referral', () => {
  it('with one’s own code is ignored', async () => {
    const ann = await makeAffiliate('ANNSOWN1', 0)
    expect((await track(ann, ann.id, 'ANNSOWN1')).body).toBe(false)
    expect(await referrerOf(ann)).toBeUndefined()
  })

  it.each([
    ['friend@example.com', 'friend+two@example.com', 'held'],
    ['friend2+a@example.com', 'FRIEND2+b@example.com', 'held'],
    ['first.last@gmail.com', 'firstlast@googlemail.com', 'held'],
    ['first.name@example.com', 'firstname@example.com', 'pending'],
    ['somebody@example.com', 'somebody@example.org', 'pending'],
  ])('by %s as %s is %s', async (affiliate, payer, status) => {
    const chain = await makeChain(server.sql)
    await rename(chain.first, affiliate)
    await rename(chain.payer, payer)
    const invoice = await payInvoice(server.sql, { payer: chain.payer, age: 31 })
    expect(await linesOf(server.sql, invoice)).toMatchObject([
      { tier: 1, status },
      { tier: 2, status: 'pending' },
    ])
    expect(
      await server.sql('select app.make_payout($1, null, null) is null as held', [chain.first]),
    ).toEqual([{ held: status === 'held' }])
  })

  it('with one’s own card is held, on either tier', async () => {
    const chain = await makeChain(server.sql)
    for (const [account, card] of [
      [chain.payer, 'card_1'],
      [chain.first, 'card_2'],
      [chain.second, 'card_1'],
    ]) {
      await server.sql(
        `insert into app.billing_customers (provider, customer_id, user_id, account_id, card_fingerprint)
         values ('stripe', $1, $2, $2, $3)`,
        [`cus_${account}`, account, card],
      )
    }
    const invoice = await payInvoice(server.sql, { payer: chain.payer })
    expect(await linesOf(server.sql, invoice)).toMatchObject([
      { tier: 1, status: 'pending' },
      { tier: 2, status: 'held' },
    ])
  })
})

describe('the graph of referrals', () => {
  it(
    'is acyclic after 1,000 random sequences of track_referral, and no second tier is the payer',
    { tags: ['extended'] },
    async () => {
      expect(await cycles(server, 1_000)).toBe(0)
    },
  )

  it('control: without the rule that the referrer is older there are cycles', async () => {
    const broken = await createBrokenDatabase(
      'app.record_referral',
      'or referrer.created_at >= newcomer ',
      '',
    )
    try {
      expect(await cycles(broken, 10)).toBeGreaterThan(0)
    } finally {
      await broken.drop()
    }
  })
})

describe('attribution', () => {
  it('can only be made for oneself', async () => {
    await makeAffiliate('FORSELF1', 48)
    const [newcomer, stranger] = await makeAccounts(server, 2)
    if (!newcomer || !stranger) throw new Error('two accounts')
    expect((await track(undefined, newcomer.id, 'FORSELF1')).status).toBe(401)
    expect((await track(stranger, newcomer.id, 'FORSELF1')).status).toBe(403)
    expect(await referrerOf(newcomer)).toBeUndefined()
  })

  it('is made once, and within 24 hours of sign-up', async () => {
    const early = await makeAffiliate('EARLYONE', 72)
    await makeAffiliate('LATERONE', 48)
    const inTime = await makeAffiliate('INTIME01', 23.9)
    const late = await makeAffiliate('TOOLATE1', 24.1)
    expect((await track(inTime, inTime.id, 'earlyone')).body).toBe(true)
    expect((await track(inTime, inTime.id, 'LATERONE')).body).toBe(false)
    expect((await track(late, late.id, 'EARLYONE')).body).toBe(false)
    expect((await track(late, late.id, 'NOSUCHCO')).body).toBe(false)
    expect(await referrerOf(inTime)).toBe(early.id)
    expect(await referrerOf(late)).toBeUndefined()
    const { body } = await send(server, early, 'GET', 'affiliate_codes?select=total_referrals')
    expect(body).toEqual([{ total_referrals: 1 }])
  })
})

describe('an affiliate code', () => {
  it('is created once by 20 parallel first visits', async () => {
    const ann = await makeAccount(server)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await addCode(ann, `VISIT${100 + n}`)).status),
    )
    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ])
    const { body } = await send(server, ann, 'GET', 'affiliate_codes?select=code')
    expect(body).toHaveLength(1)
  })

  it('is unique, and has eight upper-case letters and digits', async () => {
    await makeAffiliate('MINEMINE', 0)
    const bob = await makeAccount(server)
    expect(await addCode(bob, 'MINEMINE')).toMatchObject({ status: 409, body: { code: '23505' } })
    for (const bad of ['SHORT1', 'lowercas', 'NINECHARS', 'WITH-SIG', '']) {
      expect((await addCode(bob, bad)).status, bad).toBe(400)
    }
  })
})

async function rename(account: string, email: string): Promise<void> {
  await server.sql('delete from auth.users where email = $2 and id <> $1', [
    account,
    email.toLowerCase(),
  ])
  await server.sql('update auth.users set email = $2 where id = $1', [account, email.toLowerCase()])
}

/** How many of `sequences` random sequences end with a cycle of referrers. */
async function cycles(on: Pick<TestDatabase, 'sql'>, sequences: number): Promise<number> {
  await on.sql(
    `create function public.random_sequences(sequences int, seed double precision) returns int language plpgsql as $$
     declare
       people uuid[];
       found int := 0;
       tracked int := 0;
       who int;
     begin
       perform setseed(seed);
       insert into auth.users (email) select 'graph' || n || '@example.com' from generate_series(1, 12) n
         on conflict do nothing;
       people := array(select id from auth.users where email like 'graph%' order by email);
       insert into app.affiliate_codes (user_id, code) select people[n], 'GRAPH' || 100 + n from generate_series(1, 12) n
         on conflict do nothing;
       for sequence in 1..sequences loop
         delete from app.referrals where referred_user_id = any (people);
         -- Some with the same time, some too old to be referred.
         update auth.users set created_at = now() - floor(random() * 28) * interval '1 hour' where id = any (people);
         for step in 1..16 loop
           who := 1 + floor(random() * 12);
           perform set_config('request.jwt.claims', json_build_object('sub', people[who], 'role', 'authenticated')::text, true);
           tracked := tracked + api.track_referral(people[who], 'GRAPH' || 101 + floor(random() * 12))::int;
         end loop;
         found := found + exists (
           with recursive above as (
             select referred_user_id as start, referrer_user_id as up, 1 as depth from app.referrals
             union
             select a.start, r.referrer_user_id, a.depth + 1 from above a join app.referrals r on r.referred_user_id = a.up
               where a.depth < 13
           )
           select 1 from above where start = up)::int;
       end loop;
       if tracked < sequences then raise exception 'only % referrals were recorded', tracked; end if;
       return found;
     end $$`,
  )
  // A transaction for each 25: the rows that one has rewritten stay in the way of its own later statements.
  let found = 0
  for (let done = 0; done < sequences; done += 25) {
    const [answer] = await on.sql<{ cycles: number }>(
      'select public.random_sequences($1, $2) as cycles',
      [Math.min(25, sequences - done), done / 10_000],
    )
    if (!answer) throw new Error('no answer')
    found += answer.cycles
  }
  return found
}
