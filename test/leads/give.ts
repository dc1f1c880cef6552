import type { TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'

export interface Audience {
  owner: Account
  popup: string
  /** Code of the link that shows the popup. */
  code: string
}

let made = 0

/** An account with a popup that keeps addresses, and a link that shows it. */
export async function makeAudience(
  server: TestServer,
  columns: { cta_url?: string; consent_text?: string } = {},
  owner?: Account,
): Promise<Audience> {
  const account = owner ?? (await makeAccount(server, { plan: 'business' }))
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, cta_url, consent_text, collect_email)
      values ($1, 'Letter', $2, coalesce($3, 'Yes, write to me'), true) returning id`,
    [account.id, columns.cta_url ?? null, columns.consent_text ?? null],
  )
  const code = `lead-${process.pid}-${++made}`
  await server.sql(
    `insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
      values ($1, $2, 'https://example.com/', true, $3)`,
    [account.id, code, popup?.id],
  )
  return { owner: account, popup: popup?.id ?? '', code }
}

/** Sends the form of a popup, as the page's script does. */
export function give(
  server: Pick<TestServer, 'url'>,
  { popup, code }: Pick<Audience, 'popup' | 'code'>,
  email: string,
  { version = '1', headers = {} }: { version?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${server.url}/audience/join/${popup}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', accept: 'text/plain', ...headers },
    body: new URLSearchParams({ email, version, from: code, source: 'letter.example' }),
  })
}
