import { randomUUID } from 'node:crypto'
import type { TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'

/** A person with one row of everything that visitors see. */
export interface Owner {
  account: Account
  popup: string
  page: string
  link: string
  social: string
}

const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

/** Makes an owner over the table door, as the specification's own calls do. */
export async function makeOwner(server: TestServer, slug: string = randomUUID()): Promise<Owner> {
  const account = await makeAccount(server, { plan: 'business' })
  const make = async (table: string, row: object) => {
    const { status, body } = await send(server, account, 'POST', table, row, single)
    if (status !== 201) throw new Error(`${table} answered ${status}: ${JSON.stringify(body)}`)
    return (body as { id: string }).id
  }
  const url = 'https://example.com/kept'
  const popup = await make('popups', { user_id: account.id, title: 'Kept' })
  const page = await make('bio_pages', { user_id: account.id, slug, title: 'Kept' })
  const link = await make('bio_links', { bio_page_id: page, title: 'Kept', url })
  const social = await make('bio_social_links', { bio_page_id: page, platform: 'website', url })
  return { account, popup, page, link, social }
}

/**
 * Writes each text into a column of the table's rows, in one query and past the door, and answers with those that its
 * CHECKs let through. Nothing stays written.
 */
export async function acceptedBy(
  server: TestServer,
  column: `${string}.${string}`,
  texts: readonly string[],
): Promise<string[]> {
  const [table, name] = column.split('.')
  await server.sql(`
    create or replace function public.accepted(texts text[]) returns setof text language plpgsql as $$
    declare
      one text;
    begin
      foreach one in array texts loop
        begin
          update app.${table} set ${name} = one;
          raise sqlstate 'UNDO1';
        exception
          when check_violation then null;
          when sqlstate 'UNDO1' then return next one;
        end;
      end loop;
    end $$`)
  // A NUL cannot even be sent to PostgreSQL, nor can half a surrogate pair.
  const sendable = texts.filter((text) => !text.includes('\0') && text.isWellFormed())
  const rows = await server.sql<{ text: string }>('select public.accepted($1) as text', [sendable])
  return rows.map(({ text }) => text)
}
