import { transaction } from '../call.ts'
import { presentUser } from '../present-user.ts'
import { recordEvent } from '../record-event.ts'
import type { SignedInCall } from '../signed-in.ts'

/**
 * GET /user/export: all data about a person, as JSON to save. Composed of what each feature contributes, and streamed while
 * it is read: a person may have a million links.
 */
export async function exportOwnData(call: SignedInCall): Promise<Response> {
  const { user, session, deps } = call
  const person = { id: user.id, claims: { sub: user.id, session_id: session.id } }
  const facts = []
  for (const part of deps.exports) facts.push(await part.facts?.(person))
  const head = Object.assign(
    { exported_at: new Date().toISOString(), account: presentUser(user) },
    ...facts,
    await readAccountFacts(call),
  ) as Record<string, unknown>
  const lists = deps.exports.flatMap((part) => Object.entries(part.lists?.(person) ?? {}))
  recordEvent(call, 'data exported', { user_id: user.id, session_id: session.id })
  return new Response(streamOf(write(head, lists)), {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="hoplet-export.json"',
      'Cache-Control': 'no-store',
    },
  })
}

async function* write(
  head: Record<string, unknown>,
  lists: [name: string, pages: AsyncIterable<unknown[]>][],
): AsyncGenerator<string> {
  yield JSON.stringify(head, null, 2).slice(0, -2)
  for (const [name, pages] of lists) {
    yield `,\n  ${JSON.stringify(name)}: [`
    let separator = '\n'
    for await (const page of pages) {
      yield separator + page.map((row) => `    ${JSON.stringify(row)}`).join(',\n')
      separator = ',\n'
    }
    yield separator === '\n' ? ']' : '\n  ]'
  }
  yield '\n}\n'
}

function streamOf(parts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const part = await parts.next()
      if (part.done) controller.close()
      else controller.enqueue(encoder.encode(part.value))
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

/** The auth area's own part of the export. */
async function readAccountFacts(call: SignedInCall): Promise<Record<string, unknown>> {
  await call.deps.securityEvents.flush()
  const { rows } = await transaction(call, (db) =>
    db.query<Record<string, unknown>>(
      `select
        coalesce((select jsonb_agg(to_jsonb(s) order by s.created_at) from (
          select id, created_at, refreshed_at as last_used_at, user_agent, ip as address, oauth_client_id as app_id, scope
          from auth.sessions where user_id = $1) s), '[]') as sessions,
        coalesce((select jsonb_agg(to_jsonb(c) order by c.granted_at) from (
          select client_id as app_id, scope, granted_at from auth.oauth_consents where user_id = $1) c), '[]') as connected_apps,
        coalesce((select jsonb_agg(to_jsonb(e) order by e.id) from (
          select id, at, event, address, user_agent, facts from auth.security_events where user_id = $1
          order by id desc limit 10000) e), '[]') as security_events`,
      [call.user.id],
    ),
  )
  return rows[0] ?? {}
}
