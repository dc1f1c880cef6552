import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { makeAdmin, rpc } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

interface Report {
  id: string
  name: string
  state: string
  owner_email: string | null
  decided_by_email: string | null
  blocked: string | null
  created_at: string
}

const reports = async (body: Record<string, unknown> = {}) =>
  (await rpc(server, admin, 'admin_reports', body)).body as Report[]
const decide = (_id: string, _uphold: boolean) =>
  rpc(server, admin, 'admin_decide_report', { _id, _uphold })

/** A link, and a report of it as the public form writes it. */
async function makeReported(): Promise<{ owner: Account; code: string; report: string }> {
  const owner = await makeAccount(server, { plan: 'business' })
  const code = `r${randomUUID().slice(0, 12)}`
  const row = { user_id: owner.id, short_code: code, original_url: 'https://reported.example/' }
  expect((await send(server, owner, 'POST', 'shortened_urls', row)).status).toBe(201)
  const [made] = await server.sql<{ id: string }>(
    `insert into app.abuse_reports (name, target_kind, target_id, owner_id, destination, reason)
      select short_code, 'link', id, user_id, original_url, 'phishing' from app.shortened_urls where short_code = $1 returning id`,
    [code],
  )
  return { owner, code, report: made?.id ?? '' }
}

it('the queue of reports lists open reports newest first, with the owner, page by page', async () => {
  const first = await makeReported()
  const other = await makeReported()
  const open = await reports()
  expect(open.map(({ id }) => id)).toEqual([other.report, first.report])
  expect(open[0]).toMatchObject({
    name: other.code,
    owner_email: `${other.owner.id}@example.com`,
    blocked: null,
  })
  const cursor = { _before_created_at: open[0]?.created_at, _before_id: open[0]?.id }
  expect((await reports(cursor)).map(({ id }) => id)).toEqual([first.report])
})

it('the queue of reports blocks the link of an upheld report, once, with one line in the log', async () => {
  const { code, report } = await makeReported()
  expect((await visit(server.url, `/${code}`)).status).toBe(302)
  expect((await decide(report, true)).status).toBe(204)
  await expect.poll(async () => (await visit(server.url, `/${code}`)).status).toBe(410)
  expect((await decide(report, false)).body).toMatchObject({
    message: 'This report does not exist or was decided before.',
  })
  const [decided] = await reports({ _state: 'upheld' })
  expect(decided).toMatchObject({
    id: report,
    blocked: 'link',
    decided_by_email: `${admin.id}@example.com`,
  })
  expect(
    await server.sql(
      'select action, after, actor_id from app.audit_log where target_id in ($1, $2)',
      [report, code],
    ),
  ).toEqual([
    { action: 'report.uphold', after: { state: 'upheld', blocked: true }, actor_id: admin.id },
  ])
})

it('the queue of reports leaves the link of a dismissed report alone', async () => {
  const { code, report } = await makeReported()
  expect((await decide(report, false)).status).toBe(204)
  expect((await visit(server.url, `/${code}`)).status).toBe(302)
  expect((await reports()).map(({ id }) => id)).not.toContain(report)
})

it('the queue of reports blocks no name that belongs to another link by now', async () => {
  const { owner, code, report } = await makeReported()
  await send(server, owner, 'DELETE', `shortened_urls?short_code=eq.${code}`)
  await send(server, owner, 'POST', 'shortened_urls', {
    user_id: owner.id,
    short_code: code,
    original_url: 'https://new.example/',
  })
  expect((await decide(report, true)).status).toBe(204)
  expect((await visit(server.url, `/${code}`)).status).toBe(302)
})
