import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeAudience, give } from '#test/leads/give.ts'
import { send } from '#test/tables/accounts.ts'
import { type MailingServer, startMailingServer } from './mailbox.ts'
import { request, signIn } from '../requests.ts'

let server: MailingServer
beforeAll(async () => {
  server = await startMailingServer()
})
afterAll(() => server.close())

const password = 'a long passphrase'
const stored = "o'neill&sons/x@xn--e1afmkfd.xn--p1ai"
const spellings = [
  "O'Neill&Sons/X@Пример.РФ",
  " o'neill&sons/x@пример。рф ",
  stored,
  stored.toUpperCase(),
]

it('every spelling of an international address is one account, at every call', async () => {
  const signUp = (email: string) => request(server, '/signup', { body: { email, password } })
  expect((await signUp(spellings[0] ?? '')).status).toBe(200)
  for (const email of spellings) {
    const session = await signIn(server, email, password)
    expect([email, session.status]).toEqual([email, 200])
    expect(session.body).toMatchObject({ user: { email: stored } })
    // One account: a second sign-up reaches the first.
    await signUp(email)
  }
  expect(
    await server.sql('select email from auth.users where email like $1', ["o'neill%"]),
  ).toEqual([{ email: stored }])
  await request(server, '/recover', { body: { email: spellings[1] } })
  expect((await server.mailFor("o'neill&sons/x@пример.рф")).parsed.text).toContain('password')
})

it.each(['a..b@example.com', 'user@localhost', 'user@-x.com', 'ä@example.com', 'a@1.2.3.4'])(
  '%s is refused by sign-up, sign-in links, popups, reports and bio pages',
  async (email) => {
    for (const [path, body] of [
      ['/signup', { email, password }],
      ['/otp', { email }],
      ['/recover', { email }],
    ] as const)
      expect([path, (await request(server, path, { body })).status]).toEqual([path, 400])
    const audience = await makeAudience(server)
    expect((await give(server, audience, email)).status).toBe(422)
    const report = await fetch(`${server.url}/report`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ name: audience.code, reason: 'spam', email }),
    })
    expect(report.status).toBe(422)
    const { owner } = audience
    const { body } = await send(
      server,
      owner,
      'POST',
      'bio_pages',
      {
        user_id: owner.id,
        slug: `page-${owner.id.slice(0, 8)}`,
        title: 'Page',
      },
      { prefer: 'return=representation' },
    )
    const [page] = body as { id: string }[]
    const social = { bio_page_id: page?.id, platform: 'email' }
    for (const url of [email, `mailto:${email}`])
      expect(
        (await send(server, owner, 'POST', 'bio_social_links', { ...social, url })).status,
      ).toBe(400)
    // Control: an address that is valid arrives at each door.
    expect((await give(server, audience, 'r&d@bücher.example')).status).toBe(200)
    expect(
      (
        await send(server, owner, 'POST', 'bio_social_links', {
          ...social,
          url: 'r&d@bücher.example',
        })
      ).status,
    ).toBe(201)
    expect(
      await server.sql(
        'select email as url from app.leads where popup_id = $1 union all select url from app.bio_social_links where bio_page_id = $2',
        [audience.popup, page?.id],
      ),
    ).toEqual([{ url: 'r&d@xn--bcher-kva.example' }, { url: 'mailto:r%26d@xn--bcher-kva.example' }])
  },
)
