import type { TestDatabase } from '#test/database.ts'
import { plantOwner } from '#test/visits/plant.ts'

type Sql = TestDatabase['sql']

let made = 0

/** Inserts a popup directly into the database. Missing columns have the table's defaults. */
export async function plantPopup(
  sql: Sql,
  columns: Record<string, unknown> = {},
): Promise<{ id: string; owner: string }> {
  const owner = await plantOwner(sql)
  const row: Record<string, unknown> = { user_id: owner, title: 'Ten percent off', ...columns }
  const names = Object.keys(row)
  const [popup] = await sql<{ id: string }>(
    `insert into app.popups (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')}) returning id`,
    Object.values(row),
  )
  return { id: popup?.id ?? '', owner }
}

export interface PlantedPopupLink {
  id: string
  code: string
  url: string
  popupId: string
}

/** Inserts a short link with a popup. */
export async function plantPopupLink(
  sql: Sql,
  columns: Record<string, unknown> = {},
  url = 'https://example.com/',
): Promise<PlantedPopupLink> {
  const popup = await plantPopup(sql, columns)
  const code = `popup-${++made}`
  const [link] = await sql<{ id: string }>(
    `insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
      values ($1, $2, $3, true, $4) returning id`,
    [popup.owner, code, url, popup.id],
  )
  return { id: link?.id ?? '', code, url, popupId: popup.id }
}

export interface PlantedBio {
  id: string
  slug: string
  owner: string
}

/** Inserts a bio page with its lists, and with a popup of these columns if `popup` is given. */
export async function plantBio(
  sql: Sql,
  wanted: {
    columns?: Record<string, unknown>
    links?: readonly (readonly [title: string, url: string])[]
    social?: readonly (readonly [platform: string, url: string])[]
    popup?: Record<string, unknown>
  } = {},
): Promise<PlantedBio> {
  const popup = wanted.popup ? await plantPopup(sql, wanted.popup) : undefined
  const owner = popup?.owner ?? (await plantOwner(sql))
  const row: Record<string, unknown> = {
    user_id: owner,
    slug: `bio-${++made}`,
    title: 'Maya',
    popup_id: popup?.id ?? null,
    ...wanted.columns,
  }
  const names = Object.keys(row)
  const [page] = await sql<{ id: string; slug: string }>(
    `insert into app.bio_pages (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')}) returning id, slug`,
    Object.values(row),
  )
  const id = page?.id ?? ''
  for (const [i, [title, url]] of (wanted.links ?? []).entries()) {
    await sql(
      'insert into app.bio_links (bio_page_id, title, url, link_order) values ($1, $2, $3, $4)',
      [id, title, url, i],
    )
  }
  for (const [i, [platform, url]] of (wanted.social ?? []).entries()) {
    await sql(
      'insert into app.bio_social_links (bio_page_id, platform, url, display_order) values ($1, $2, $3, $4)',
      [id, platform, url, i],
    )
  }
  return { id, slug: page?.slug ?? '', owner }
}
