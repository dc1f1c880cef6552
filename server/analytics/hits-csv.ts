import * as z from 'zod'
import { csvLines } from '#domain/csv.ts'
import type { Context } from '../context.ts'
import { httpErrors } from '../http/errors.ts'
import type { HttpCall } from '../http/router.ts'
import { streamOf } from '../primitives/text-stream.ts'
import type { Person } from '../tokens/person.ts'
import { allHitKinds, askedScope, askForHits, hitKinds, requireHits } from './asked-hits.ts'
import { cellsOfHit, hitColumns } from './hit-cells.ts'
import { orThrow } from '../primitives/or-throw.ts'

const moment = (name: string) =>
  z
    .string()
    .refine((text) => Number.isFinite(Date.parse(text)), `${name} must be an ISO 8601 time`)
    .transform((text) => new Date(text))

/** `include` is a list with commas; without it every hit but imported ones is listed. */
export const csvQuery = askedScope.extend({
  from: moment('from'),
  to: moment('to').optional(),
  include: z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(allHitKinds, 'include must list repeats, own, bots or imported')))
    .default([...hitKinds]),
})

interface CsvCall extends HttpCall {
  deps: Pick<Context, 'analytics' | 'database'>
  person: Person
  query: z.output<typeof csvQuery>
}

const pageSize = 1_000
const maxRows = 1_000_000
/** A download takes a person's only place; it may be over in a moment. */
const retrySeconds = 10

const headers = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="hits.csv"',
  'Cache-Control': 'no-store',
}

/** Single hits as a file, read page by page while it is sent. */
export async function sendHitsCsv(call: CsvCall): Promise<Response> {
  const { deps, person, query, request } = call
  await requireHits({ ...deps, person, asked: query })
  if (request.method === 'HEAD') return new Response(null, { headers })
  const release = orThrow(deps.analytics.downloads.take(person.id), () =>
    httpErrors.tooManyRequests(retrySeconds),
  )
  return new Response(streamOf(write(call, release)), { headers })
}

async function* write(call: CsvCall, release: () => void): AsyncGenerator<string> {
  try {
    yield csvLines([hitColumns])
    yield* pages(call)
  } catch (error) {
    call.info.log.warn({ err: error }, 'a list of hits was cut short')
    // The client must not take a part for the whole.
    call.disconnect()
  } finally {
    release()
  }
}

async function* pages({ deps, person, query }: CsvCall): AsyncGenerator<string> {
  const { from, to = new Date(), include } = query
  const { database, analytics } = deps
  const { readers } = analytics
  const source = { database, readers, person, asked: query, mayUseReplica: true }
  let before: string | undefined
  for (let rows = 0; rows < maxRows; rows += pageSize) {
    const hits = await askForHits(source, { from, to, include, before, limit: pageSize })
    yield csvLines(hits.map(cellsOfHit))
    if (hits.length < pageSize) return
    before = hits.at(-1)?.cursor
  }
  const note = `The list ends here, after ${maxRows.toLocaleString('en')} hits. Ask for a shorter time to get the others.`
  yield csvLines([[note, ...hitColumns.slice(1).map(() => null)]])
}
