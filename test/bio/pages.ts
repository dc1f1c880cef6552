import type { Account } from '#test/tables/accounts.ts'
import { send } from '#test/tables/accounts.ts'
import type { TestServer } from '#test/server.ts'

export interface SavedPage {
  page: { id: string; slug: string; title: string; description: string | null; popup_id: string }
  links: { id: string; kind: string; title: string; url: string; link_order: number }[]
  social_links: { id: string; platform: string; url: string; display_order: number }[]
}

/** Calls save_bio_page over HTTP as `who`, or signed out. */
export function save(
  server: TestServer,
  who: Account | undefined,
  page: unknown,
  links?: unknown,
  socialLinks?: unknown,
) {
  return send(server, who, 'POST', 'rpc/save_bio_page', {
    page,
    ...(links !== undefined && { links }),
    ...(socialLinks !== undefined && { social_links: socialLinks }),
  })
}

/** The same, for saves that must work. */
export async function saved(
  server: TestServer,
  who: Account,
  ...wanted: [page: unknown, links?: unknown, socialLinks?: unknown]
): Promise<SavedPage> {
  const { status, body } = await save(server, who, ...wanted)
  if (status !== 200) throw new Error(`saving answered ${status}: ${JSON.stringify(body)}`)
  return body as SavedPage
}
