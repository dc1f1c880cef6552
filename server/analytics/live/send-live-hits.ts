import type { Context } from '../../context.ts'
import { httpErrors } from '../../http/errors.ts'
import { eventStreamHeaders, openEventStream } from '../../http/event-stream.ts'
import type { HttpCall } from '../../http/router.ts'
import type { Person } from '../../tokens/person.ts'
import { type AskedScope, requireHits } from '../asked-hits.ts'
import { createWatcher } from './watcher.ts'
import { orThrow } from '../../primitives/or-throw.ts'

interface LiveCall extends HttpCall {
  deps: Pick<Context, 'analytics' | 'database'>
  person: Person
  query: AskedScope
}

/** A stream takes a place until its page is closed, so that no one knows when there will be one. */
const retrySeconds = 30

/**
 * Hits as they come. Events: `hits` with `{hits, received}`, the newest of the new ones as `api.click_hits` returns them
 * and how many came since the connection began, by verdict; and a last `end` with `{reason}`: `access` (no longer allowed),
 * `token` (expired), `unavailable` or `shutdown`.
 */
export async function sendLiveHits(call: LiveCall): Promise<Response> {
  const { deps, person, query: asked, request, info, disconnect } = call
  const { database, analytics } = deps
  const { live, readers } = analytics
  const release = orThrow(live.places.take(person.id), () =>
    httpErrors.tooManyRequests(retrySeconds),
  )
  try {
    await requireHits({ database, person, asked })
    if (request.method === 'HEAD') {
      release()
      return new Response(null, { headers: eventStreamHeaders })
    }
    await live.look()
    let stop = () => {}
    const stream = openEventStream({ disconnect, onClose: () => (stop(), release()) })
    stop = live.add(createWatcher({ database, readers, log: info.log, person, asked, stream }))
    return new Response(stream.body, { headers: eventStreamHeaders })
  } catch (error) {
    release()
    throw error
  }
}
