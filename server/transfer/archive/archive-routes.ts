import type { Context } from '../../context.ts'
import { HttpError, httpErrors } from '../../http/errors.ts'
import { limitByAddress, limitByPerson, signedInPerson } from '../../http/guards.ts'
import { type HttpCall, routesWith, uuidParameter } from '../../http/router.ts'
import { createConcurrencyLimit } from '../../primitives/concurrency-limit.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import type { Person } from '../../tokens/person.ts'

interface ArchiveCall extends HttpCall {
  deps: Pick<Context, 'database' | 'tokens' | 'rateLimits' | 'archives' | 'securityEvents'>
}
type OwnCall = ArchiveCall & { person: Person }

const archiveRoute = routesWith<ArchiveCall>()
const owner = [
  limitByAddress({ name: 'functions', burst: 120, windowSeconds: 60 }),
  signedInPerson,
  limitByPerson({ name: 'archives', burst: 60, windowSeconds: 60 }),
] as const
const fetcher = [
  ...owner,
  limitByPerson({ name: 'archive-file', burst: 20, windowSeconds: 3_600 }),
] as const
const downloads = createConcurrencyLimit(1)
/** A download takes a person's only place; it may be over in a moment. */
const retrySeconds = 10

const noSuchArchive = () => new HttpError(404, 'No such archive')

/** Archives of accounts, for signed-in people: no app and no key takes everything away. */
export const archiveRoutes = [
  archiveRoute('POST', '/archives', owner, async ({ deps, person, info, request }: OwnCall) => {
    const id = await deps.archives.start(person.id)
    recordExport({ deps, person, info, request }, id)
    return answer({ id }, 201)
  }),
  archiveRoute('GET', '/archives', owner, async ({ deps, person }: OwnCall) =>
    answer(await deps.archives.list(person.id)),
  ),
  archiveRoute('GET', '/archives/:id', owner, async (call: OwnCall) =>
    answer(await call.deps.archives.show(call.person.id, idOf(call))),
  ),
  archiveRoute('GET', '/archives/:id/file', fetcher, sendFile),
]

/** For the owner's list of activity, as the export of the auth door. */
function recordExport(
  { deps, person, info, request }: Pick<OwnCall, 'deps' | 'person' | 'info' | 'request'>,
  archive: string,
): void {
  const event = 'data exported'
  const { id, claims } = person
  const session = claims['session_id']
  info.log.info({ security: event, address: info.address, user_id: id, archive }, event)
  deps.securityEvents.add({
    event,
    user_id: id,
    session_id: typeof session === 'string' ? session : null,
    address: info.address,
    user_agent: request.headers.get('user-agent'),
    facts: { archive, request_id: info.requestId },
  })
}

async function sendFile(call: OwnCall): Promise<Response> {
  const { deps, person, request } = call
  const release = orThrow(downloads.take(person.id), () => httpErrors.tooManyRequests(retrySeconds))
  try {
    const { bytes, body, madeAt } = await deps.archives.open(person.id, idOf(call))
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Length': String(bytes),
      'Content-Disposition': `attachment; filename="hoplet-archive-${madeAt.toISOString().slice(0, 10)}.zip"`,
      'Cache-Control': 'no-store',
    }
    if (request.method === 'HEAD') {
      await body.cancel()
      release()
      return new Response(null, { headers })
    }
    return new Response(untilEnd(body, release) as BodyInit, { headers })
  } catch (error) {
    release()
    throw error
  }
}

/** The same bytes; `onEnd` runs at their end, or when the client leaves. */
function untilEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const part = await reader.read()
        if (!part.done) return controller.enqueue(part.value)
        onEnd()
        controller.close()
      } catch (error) {
        onEnd()
        throw error
      }
    },
    async cancel(reason) {
      onEnd()
      await reader.cancel(reason)
    },
  })
}

function idOf(call: Pick<HttpCall, 'params'>): string {
  return uuidParameter(call, 'id', noSuchArchive)
}

function answer(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}
