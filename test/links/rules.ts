import type { TestServer } from '#test/server.ts'
import { type Account, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

export interface RuledLink {
  id: string
  short_code: string
  original_url: string
}

const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

export async function makeLink(
  server: TestServer,
  owner: Account,
  options: object = {},
): Promise<RuledLink> {
  const row = { user_id: owner.id, original_url: 'https://example.com/own', ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as RuledLink
}

export const save = (
  server: TestServer,
  who: Account | undefined,
  { id }: RuledLink,
  version: number,
  rules: unknown,
) =>
  send(server, who, 'POST', 'rpc/save_link_rules', { _link: id, _rules: rules, _version: version })

export async function rulesOf(server: TestServer, who: Account, { id }: RuledLink) {
  const { body } = await send(server, who, 'POST', 'rpc/link_rules', { _link: id })
  return body as { version: number; rules: Record<string, unknown>[] }
}

export const open = (
  server: TestServer,
  { short_code: code }: RuledLink,
  query = '',
  headers: Record<string, string> = {},
) => visit(server.url, `/${code}${query}`, { headers })
