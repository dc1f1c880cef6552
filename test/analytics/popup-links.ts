import { plantPopup, type PlantedPopupLink } from '#test/pages/plant.ts'
import type { TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

export interface PopupLinks {
  owner: Account
  first: PlantedPopupLink
  second: PlantedPopupLink
}

/** Two links of a person with the same popup. */
export async function plantPopupLinks(server: TestServer): Promise<PopupLinks> {
  const owner = await makeAccount(server, { plan: 'pro' })
  const { id: popupId } = await plantPopup(server.sql, {
    user_id: owner.id,
    cta_url: 'https://shop.example/',
  })
  const links = await server.sql<{ id: string; code: string }>(
    `insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
      select $1, code, 'https://example.com/', true, $2 from unnest('{results-1,results-2}'::text[]) code
      returning id, short_code as code`,
    [owner.id, popupId],
  )
  const [first, second] = links.map((link) => ({ ...link, url: 'https://example.com/', popupId }))
  if (!first || !second) throw new Error('nothing planted')
  return { owner, first, second }
}

/** Tells something of a popup as a page of ours would. */
export const beacon = (
  server: Pick<TestServer, 'url'>,
  path: string,
  headers: Record<string, string> = {},
  method = 'POST',
) =>
  visit(server.url, path, {
    method,
    headers: { 'sec-fetch-site': 'same-origin', 'content-length': '0', ...headers },
  })

/** How many events of popups are in the database. */
export async function storedEvents({ sql }: Pick<TestServer, 'sql'>): Promise<number> {
  const [row] = await sql<{ n: number }>('select count(*)::int as n from app.popup_events')
  return row?.n ?? 0
}
