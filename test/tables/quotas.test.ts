import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from './accounts.ts'
import { type Attempt, count, type Ending, openClients } from './held-open.ts'

const rounds = 20
const racers = 20
const freeLimit = 50

let server: TestServer
let clients: Awaited<ReturnType<typeof openClients>>

beforeAll(async () => {
  server = await startTestServer()
  clients = await openClients(server, racers)
})
afterAll(async () => {
  await clients.close()
  await server.close()
})

async function linksOf(userId: string, where = server): Promise<number> {
  const [row] = await where.sql<{ n: number }>(
    'select count(*)::int as n from app.shortened_urls where user_id = $1',
    [userId],
  )
  return row?.n ?? 0
}

async function usageOf(userId: string) {
  const [row] = await server.sql(
    'select total_custom_codes, total_shortened_urls, daily_custom_codes, daily_shortened_urls from app.user_usage where user_id = $1',
    [userId],
  )
  return row
}

async function fillUpTo(used: number, account: Account, where = server): Promise<void> {
  await where.sql(
    `insert into app.shortened_urls (user_id, original_url) select $1, 'https://example.com/' || n from generate_series(1, $2::int) n`,
    [account.id, used],
  )
}

function insertOf(userId: string, code?: string): Attempt {
  return code === undefined
    ? {
        userId,
        text: `insert into api.shortened_urls (user_id, original_url) values ($1, 'https://example.com/')`,
        values: [userId],
      }
    : {
        userId,
        text: `insert into api.shortened_urls (user_id, original_url, short_code) values ($1, 'https://example.com/', $2)`,
        values: [userId, code],
      }
}

/** The rows over or under the limit, a round each, when 20 create at once with `used` of 50 taken. */
async function raceAtLimit(
  where: TestServer,
  used: number,
  race: (account: Account) => Promise<Ending[]>,
): Promise<{ rows: number; created: number; refused: number }[]> {
  const results: { rows: number; created: number; refused: number }[] = []
  for (const account of await makeAccounts(where, rounds)) {
    await fillUpTo(used, account, where)
    const endings = await race(account)
    results.push({
      rows: await linksOf(account.id, where),
      created: count(endings, (ending) => ending.code === 'ok'),
      refused: count(
        endings,
        (ending) => ending.code === 'P0001' && ending.message === 'Limit Reached',
      ),
    })
  }
  return results
}

const racing = (openTo: typeof clients) => (account: Account) =>
  openTo.race(Array.from({ length: racers }, () => insertOf(account.id)))

describe('20 clients create links at once, 20 rounds', () => {
  it.each([1, 2])(
    'with %i place left and transactions held open: never one over, never one under',
    async (left) => {
      const results = await raceAtLimit(server, freeLimit - left, racing(clients))
      expect(results).toEqual(
        Array(rounds).fill({ rows: freeLimit, created: left, refused: racers - left }),
      )
    },
  )

  it(
    'with one place left, over HTTP: one 201, 19 refusals with the limit',
    { tags: ['extended'] },
    async () => {
      const results = await raceAtLimit(server, freeLimit - 1, async (account) => {
        const answers = await Promise.all(
          Array.from({ length: racers }, () =>
            send(server, account, 'POST', 'shortened_urls', {
              user_id: account.id,
              original_url: 'https://example.com/',
            }),
          ),
        )
        return answers.map(({ status, body }) =>
          status === 201 ? { code: 'ok', message: '' } : (body as Ending),
        )
      })
      expect(results).toEqual(
        Array(rounds).fill({ rows: freeLimit, created: 1, refused: racers - 1 }),
      )
    },
  )

  it('and the check notices a limit that counts rows in the trigger instead of locking the counter (control)', async () => {
    const broken = await startTestServer()
    const openToBroken = await openClients(broken, racers)
    try {
      await broken.sql(`create or replace function app.charge(account uuid, link boolean, custom boolean) returns boolean
        language plpgsql security definer set search_path = '' as $$ begin
          if (select count(*) from app.shortened_urls s where s.user_id = account) >= 50 then
            perform app.refuse_over_limit('url', 'free', 'lifetime', 50, 50);
          end if;
          return true;
        end $$`)
      await broken.sql(`create or replace function app.lock_usage(account uuid) returns app.user_usage
        language sql security definer set search_path = '' as 'select u from app.user_usage u where u.user_id = account'`)
      const results = await raceAtLimit(broken, freeLimit - 1, racing(openToBroken))
      expect(count(results, ({ rows }) => rows > freeLimit)).toBeGreaterThan(rounds / 2)
    } finally {
      await openToBroken.close()
      await broken.close()
    }
  })

  it('on the first creates of a new day: yesterday is forgotten once, and no place is lost', async () => {
    for (const account of await makeAccounts(server, rounds, { plan: 'pro' })) {
      await server.sql(
        `update app.user_usage set daily_custom_codes = 2, daily_shortened_urls = 50, total_shortened_urls = 50,
           total_custom_codes = 2, day = day - 1 where user_id = $1`,
        [account.id],
      )
      const endings = await clients.race(
        Array.from({ length: racers }, (_, index) =>
          insertOf(account.id, index % 2 === 0 ? `${account.id.slice(0, 8)}-${index}` : undefined),
        ),
      )
      expect(count(endings, (ending) => ending.code === 'ok')).toBe(12)
      expect(await usageOf(account.id)).toEqual({
        total_custom_codes: 4,
        total_shortened_urls: 62,
        daily_custom_codes: 2,
        daily_shortened_urls: 12,
      })
    }
  })
})

it('the table door refuses with the sentence of the specification and its figures', async () => {
  const account = await makeAccount(server)
  await fillUpTo(freeLimit, account)
  const { status, body } = await send(server, account, 'POST', 'shortened_urls', {
    user_id: account.id,
    original_url: 'https://example.com/',
  })
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: 'P0001',
    message: 'Limit Reached',
    hint: "You've reached your total limit of 50 shortened URLs. Upgrade to Pro or delete existing links to continue.",
  })
  expect(JSON.parse((body as { details: string }).details)).toEqual({
    kind: 'url',
    plan: 'free',
    limitType: 'lifetime',
    limit: 50,
    current: 50,
  })
})

it('the table door charges a custom code as a custom code and as a link, and a deleted link gives both back', async () => {
  const account = await makeAccount(server)
  const create = (code: string) =>
    send(server, account, 'POST', 'shortened_urls', {
      user_id: account.id,
      original_url: 'https://example.com/',
      short_code: code,
    })
  expect((await create('give-1')).status).toBe(201)
  expect((await create('give-2')).status).toBe(201)
  const third = await create('give-3')
  expect(third.body).toMatchObject({
    message: 'Limit Reached',
    hint: "You've reached your total limit of 2 custom codes. Upgrade to Pro or delete existing links to continue.",
  })
  await send(server, account, 'DELETE', 'shortened_urls?short_code=eq.give-1')
  expect(await usageOf(account.id)).toMatchObject({
    total_custom_codes: 1,
    daily_custom_codes: 1,
    total_shortened_urls: 1,
  })
  expect((await create('give-3')).status).toBe(201)
})

it('the table door refuses the third custom code of a day on Pro, and allows a random one', async () => {
  const account = await makeAccount(server, { plan: 'pro' })
  const create = (code?: string) =>
    send(server, account, 'POST', 'shortened_urls', {
      user_id: account.id,
      original_url: 'https://example.com/',
      ...(code !== undefined && { short_code: code }),
    })
  expect((await create('pro-1')).status).toBe(201)
  expect((await create('pro-2')).status).toBe(201)
  expect((await create('pro-3')).body).toMatchObject({
    message: 'Limit Reached',
    hint: "You've reached your today limit of 2 custom codes. Please try again tomorrow or delete existing links.",
  })
  expect((await create()).status).toBe(201)
})

it('deleting yesterday’s link gives nothing back today', async () => {
  const account = await makeAccount(server, { plan: 'pro' })
  await fillUpTo(2, account)
  await server.sql(
    `update app.shortened_urls set created_at = created_at - interval '1 day' where user_id = $1`,
    [account.id],
  )
  await fillUpTo(1, account)
  await send(server, account, 'DELETE', `shortened_urls?user_id=eq.${account.id}`)
  expect(await usageOf(account.id)).toMatchObject({
    total_shortened_urls: 0,
    daily_shortened_urls: 2,
  })
})

it('the table door judges a create by the plan in force: a downgrade waits for a create in progress, and then binds', async () => {
  const account = await makeAccount(server, { plan: 'business' })
  await fillUpTo(60, account)
  const creating = new pg.Client({ connectionString: server.superuserUrl })
  await creating.connect()
  await creating.query('begin')
  const { text, values = [] } = insertOf(account.id)
  await creating.query(text, values)
  const downgrade = server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [
    account.id,
  ])
  await expect
    .poll(() =>
      server.sql(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      ),
    )
    .toHaveLength(1)
  await creating.query('commit')
  await creating.end()
  await downgrade
  expect(await linksOf(account.id)).toBe(61)
  expect((await clients.race([insertOf(account.id)]))[0]).toMatchObject({ code: 'P0001' })
})

describe('a day starts with a plan of daily limits', () => {
  const setPlan = (account: Account, plan: string) =>
    server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [account.id, plan])
  const recount = (account: Account) =>
    send(server, account, 'POST', 'rpc/increment_url_usage', { _user_id: account.id })
  const daily = async (account: Account) => (await usageOf(account.id))?.['daily_shortened_urls']

  it('links of a full free account of today do not count against Pro, recounted or deleted', async () => {
    const account = await makeAccount(server)
    await fillUpTo(freeLimit, account)
    await setPlan(account, 'pro')
    const made = await send(server, account, 'POST', 'shortened_urls', {
      user_id: account.id,
      original_url: 'https://example.com/first-of-pro',
    })
    expect(made.status).toBe(201)
    await recount(account)
    expect(await usageOf(account.id)).toMatchObject({
      daily_shortened_urls: 1,
      total_shortened_urls: freeLimit + 1,
    })
    // A link of the old plan gives back nothing of the day, one of the new plan does.
    await send(server, account, 'DELETE', 'shortened_urls?original_url=eq.https://example.com/1')
    expect(await daily(account)).toBe(1)
    await send(server, account, 'DELETE', 'shortened_urls?original_url=like.*first-of-pro')
    expect(await daily(account)).toBe(0)
    await fillUpTo(freeLimit, account)
    expect((await clients.race([insertOf(account.id)]))[0]).toMatchObject({ code: 'P0001' })
  })

  it('from Pro to Business, and down to Free, nothing is forgotten', async () => {
    const account = await makeAccount(server, { plan: 'pro' })
    await fillUpTo(3, account)
    for (const plan of ['business', 'pro', 'free']) {
      await setPlan(account, plan)
      expect(await daily(account)).toBe(3)
    }
    await recount(account)
    expect(await daily(account)).toBe(3)
  })

  it('a create that waited for the plan counts for it', async () => {
    const account = await makeAccount(server)
    const changing = new pg.Client({ connectionString: server.superuserUrl })
    await changing.connect()
    await changing.query('begin')
    await changing.query('select 1 from app.user_usage where user_id = $1 for update', [account.id])
    const creating = clients.race([insertOf(account.id)])
    await expect
      .poll(() =>
        server.sql(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        ),
      )
      .toHaveLength(1)
    await changing.query(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [
      account.id,
    ])
    await changing.query('commit')
    await changing.end()
    expect(await creating).toMatchObject([{ code: 'ok' }])
    await recount(account)
    expect(await daily(account)).toBe(1)
  })
})

it('the table door counts in one insert of many rows as in many inserts of one', async () => {
  const account = await makeAccount(server)
  await fillUpTo(48, account)
  const rows = (n: number) =>
    Array.from({ length: n }, () => ({ user_id: account.id, original_url: 'https://example.com/' }))
  expect((await send(server, account, 'POST', 'shortened_urls', rows(3))).body).toMatchObject({
    message: 'Limit Reached',
  })
  expect(await linksOf(account.id)).toBe(48)
  expect((await send(server, account, 'POST', 'shortened_urls', rows(2))).status).toBe(201)
  expect(await usageOf(account.id)).toMatchObject({ total_shortened_urls: 50 })
})

it(
  'the table door keeps the counters equal to the rows under any mix of creates, deletes, recounts and plan changes',
  { tags: ['extended'] },
  async () => {
    const [account, admin] = [
      await makeAccount(server),
      await makeAccount(server, { role: 'admin' }),
    ]
    const one = (n: number) => {
      const code = `mix-${n % 7}`
      const row = { user_id: account.id, original_url: 'https://example.com/' }
      switch (n % 8) {
        case 0:
          return send(server, account, 'DELETE', `shortened_urls?short_code=eq.${code}`)
        case 1:
          return send(server, account, 'POST', 'rpc/increment_url_usage', { _user_id: account.id })
        case 2:
          return send(server, admin, 'PATCH', `user_plans?user_id=eq.${account.id}`, {
            plan_type: ['free', 'pro', 'business'][n % 3],
          })
        case 3:
          return send(server, account, 'POST', 'rpc/increment_qr_usage', { _user_id: account.id })
        case 4:
        case 5:
          return send(server, account, 'POST', 'shortened_urls', [row, { ...row }])
        case 6:
          return send(server, account, 'DELETE', `shortened_urls?short_code=like.*${n % 10}*`)
        default:
          return send(server, account, 'POST', 'shortened_urls', { ...row, short_code: code })
      }
    }
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => one(Math.floor(Math.random() * 1_000_000))),
      )
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      const [rows] = await server.sql(
        `select count(*)::int as total_shortened_urls, count(*) filter (where is_custom)::int as total_custom_codes,
         (count(*) filter (where created_at >= since))::int as daily_shortened_urls,
         (count(*) filter (where is_custom and created_at >= since))::int as daily_custom_codes
       from app.shortened_urls, (select coalesce(daily_since, '-infinity') as since from app.user_usage where user_id = $1) as day
       where user_id = $1`,
        [account.id],
      )
      expect(await usageOf(account.id)).toEqual(rows)
    }
  },
)
