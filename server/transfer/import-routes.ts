import * as z from 'zod'
import { rowChoices, rowFilters } from '#domain/transfer/import-shapes.ts'
import { mappedFields } from '#domain/transfer/readers/mapped.ts'
import { importSourceIds, isApiSource } from '#domain/transfer/sources.ts'
import type { Context } from '../context.ts'
import { BodyError, hasJsonBody, readJson } from '../http/body.ts'
import { HttpError } from '../http/errors.ts'
import {
  jsonBody,
  limitByAddress,
  limitByPerson,
  queryParameters,
  signedInPersonOrApp,
} from '../http/guards.ts'
import { type HttpCall, routesWith, uuidParameter } from '../http/router.ts'
import { createConcurrencyLimit } from '../primitives/concurrency-limit.ts'
import { orThrow } from '../primitives/or-throw.ts'
import type { Person } from '../tokens/person.ts'
import { maxArchiveBytes } from './read-archive.ts'
import { receiveFile } from './receive-file.ts'
import { sendRowsCsv } from './rows-csv.ts'
import { listImports, listRows, showImport } from './show-imports.ts'
import { importBounds } from './transfer-error.ts'

interface ImportCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'tokens' | 'rateLimits' | 'imports'>
}
type OwnCall = ImportCall & { person: Person }

const noSuchImport = () => new HttpError(404, 'No such import')
const busy = () =>
  new HttpError(429, 'Another file is being read. Please try again in a minute.', {
    'Retry-After': '60',
  })

const choice = z.enum(rowChoices, 'a choice is new, skip or replace')
const confirmShape = z.object({
  codes: z.enum(['keep', 'random'], 'codes is keep or random').default('keep'),
  taken: choice.default('new'),
  rows: z
    .array(z.object({ place: z.int().min(1), choice }))
    .max(1_000)
    .default([]),
})
const readShape = z.object({
  source: z.enum(importSourceIds, 'source is unknown').optional(),
  /** Our field → the number of its column, from 0. */
  mapping: z
    .partialRecord(z.enum(mappedFields), z.int().min(0).max(importBounds.columns))
    .refine((map) => map.url !== undefined, 'mapping has to name the column of the address')
    .optional(),
  domain: z.string().max(253).optional(),
})
const rowsQuery = z.object({
  outcome: z.enum(rowFilters, 'outcome is unknown').optional(),
  cursor: z.coerce.number().int().min(0).default(0),
  format: z.enum(['json', 'csv'], 'format is json or csv').default('json'),
})
const sourceShape = z.object({
  source: z.string(),
  token: z.string().trim().min(1, 'Enter the token').max(2_000),
  /** The address, for services that people run themselves. */
  server: z.string().trim().max(300).optional(),
})
const startShape = z.union([
  sourceShape,
  z.object({ rows: z.array(z.record(z.string(), z.unknown())).min(1, 'rows is empty') }),
])

const importRoute = routesWith<ImportCall>()
const owner = [
  limitByAddress({ name: 'functions', burst: 120, windowSeconds: 60 }),
  signedInPersonOrApp('links:write'),
  limitByPerson({ name: 'imports', burst: 120, windowSeconds: 60 }),
] as const
const starter = [
  ...owner,
  limitByPerson({ name: 'import-start', burst: 20, windowSeconds: 3_600 }),
] as const
/** Files are unpacked and parsed: one of an account at a time, two in all. */
const uploads = createConcurrencyLimit(1, 2)
const maxRowsBytes = 4 * 1024 * 1024
const pageSize = 100

/** Imports: `POST` starts one, and the dry run ends in the state `ready`; nothing is written before `confirm`. */
export const importRoutes = [
  /** A form with a file, `{source, token, server?}` or `{rows}` → `{id}`. */
  importRoute('POST', '/imports', starter, async (call) => {
    const leave = orThrow(uploads.take(call.person.id), busy)
    try {
      return answer({ id: await start(call) }, 201)
    } finally {
      leave()
    }
  }),
  importRoute('GET', '/imports', owner, async ({ deps, person }) =>
    answer(await listImports(deps.database, person.id)),
  ),
  importRoute('GET', '/imports/:id', owner, async (call) => answer(await shownImport(call))),
  /** `?outcome=&cursor=` → `{rows, cursor}`; `format=csv` → all of them as a file. */
  importRoute('GET', '/imports/:id/rows', [...owner, queryParameters(rowsQuery)], async (call) => {
    const { deps, person, query } = call
    const shown = await shownImport(call)
    const { outcome, cursor: after, format } = query
    if (format === 'csv') return sendRowsCsv(deps.database, person.id, shown, outcome)
    const rows = await listRows(deps.database, person.id, shown.id, {
      outcome,
      after,
      limit: pageSize,
    })
    return answer({ rows, cursor: rows.length < pageSize ? null : (rows.at(-1)?.place ?? null) })
  }),
  /** `{source}` or `{mapping}` of a file, or `{domain}`: repeats the dry run. */
  importRoute('POST', '/imports/:id/read', [...owner, jsonBody(readShape)], async (call) => {
    const given = Object.values(call.body).filter((value) => value !== undefined)
    if (given.length !== 1) throw new BodyError(400, 'Send either source, mapping or domain')
    await call.deps.imports.readAgain(call.person.id, idOf(call), call.body)
    return answer(await shownImport(call))
  }),
  /** `{codes: keep|random, taken: new|skip|replace, rows: [{place, choice}]}` starts the job. */
  importRoute('POST', '/imports/:id/confirm', [...owner, jsonBody(confirmShape)], async (call) => {
    await call.deps.imports.confirm(call.person.id, idOf(call), call.body)
    return answer(await shownImport(call))
  }),
  importRoute('POST', '/imports/:id/pause', owner, async (call) => {
    await call.deps.imports.pause(call.person.id, idOf(call))
    return answer(await shownImport(call))
  }),
  importRoute('POST', '/imports/:id/resume', owner, async (call) => {
    await call.deps.imports.resume(call.person.id, idOf(call))
    return answer(await shownImport(call))
  }),
  /** Takes back the links that nobody has clicked. */
  importRoute('POST', '/imports/:id/undo', owner, async (call) => {
    await call.deps.imports.undo(call.person.id, idOf(call))
    return answer(await shownImport(call))
  }),
  /** Deletes the import with its rows. Its links stay. */
  importRoute('DELETE', '/imports/:id', owner, async (call) => {
    await call.deps.imports.delete(call.person.id, idOf(call))
    return new Response(null, { status: 204 })
  }),
]

function idOf(call: Pick<HttpCall, 'params'>): string {
  return uuidParameter(call, 'id', noSuchImport)
}

async function shownImport(call: OwnCall) {
  const { deps, person } = call
  return orThrow(await showImport(deps.database, person.id, idOf(call)), noSuchImport)
}

async function start({ request, deps, person }: OwnCall): Promise<string> {
  const { imports, config } = deps
  if (!hasJsonBody(request)) {
    const file = await receiveFile(request, importBounds.fileBytes, maxArchiveBytes)
    try {
      return await imports.startFile(person.id, file)
    } finally {
      await file.remove()
    }
  }
  const parsed = startShape.safeParse(await readJson(request, maxRowsBytes))
  if (!parsed.success) throw new BodyError(400, 'Send a file, or source and token, or rows')
  if ('rows' in parsed.data) return imports.startRows(person.id, parsed.data.rows)
  const { source, token, server } = parsed.data
  if (!isApiSource(source)) throw new BodyError(400, 'source is unknown')
  const origin = config.imports.apiOrigins[source] ?? server ?? ''
  if (!URL.canParse(/^https?:/i.test(origin) ? origin : `https://${origin}`))
    throw new BodyError(400, 'Enter the address of your server')
  return imports.startSource(person.id, source, { origin, token })
}

function answer(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}
