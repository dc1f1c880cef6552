import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  ImportChoices,
  RowFilter,
  ShownImport,
  ShownRow,
} from '#domain/transfer/import-shapes.ts'
import type { MappedField } from '#domain/transfer/readers/mapped.ts'
import type { ImportSourceId } from '#domain/transfer/sources.ts'
import { refusalFields } from '#web/api/fetch-in-words.ts'
import { fetchAsCaller } from '#web/session/caller.ts'
import { site } from '#web/site.ts'

/** A refusal of the functions door, in its words. */
export class ImportRefusedError extends Error {}

interface CallOptions {
  method?: 'POST' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

async function send(path: string, { method, body, signal }: CallOptions = {}): Promise<Response> {
  const headers = new Headers({ apikey: site.anonKey })
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers.set('Content-Type', 'application/json')
  const response = await fetchAsCaller(`/functions/v1/imports${path}`, {
    headers,
    ...(method !== undefined && { method }),
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const { error = 'Please try again.' } = await refusalFields(response)
  throw new ImportRefusedError(String(error))
}

/** @throws {ImportRefusedError} with a message for people */
async function call<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return (await (await send(path, options)).json()) as Answer
}

const keyOf = (userId: string) => ['account', userId, 'imports'] as const
const atWork = new Set(['reading', 'running'])
const refreshMs = 1_500
const slowRefreshMs = 20_000

/** Imports of the account, newest first. */
export function importsQuery(userId: string) {
  return queryOptions({
    queryKey: keyOf(userId),
    queryFn: ({ signal }) => call<ShownImport[]>('', { signal }),
  })
}

/** One import; asked again while it changes by itself. */
export function importQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: [...keyOf(userId), id],
    queryFn: ({ signal }) => call<ShownImport>(`/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined
        ? false
        : atWork.has(data.state)
          ? refreshMs
          : data.state === 'waiting'
            ? slowRefreshMs
            : false,
  })
}

interface RowsPage {
  rows: ShownRow[]
  cursor: number | null
}

/** Rows of an import. All that repeats the dry run is in the key. */
export function importRowsQuery(
  userId: string,
  { id, state, source, domain }: Pick<ShownImport, 'id' | 'state' | 'source' | 'domain'>,
  outcome: RowFilter | undefined,
) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(userId), id, 'rows', state, source, domain, outcome ?? ''],
    queryFn: ({ signal, pageParam }) =>
      call<RowsPage>(
        `/${id}/rows?${new URLSearchParams({
          cursor: String(pageParam),
          ...(outcome !== undefined && { outcome }),
        }).toString()}`,
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ cursor }) => cursor,
  })
}

/** Files of this size and more are packed first: they often are a tenth as large then. */
const packedFrom = 256 * 1024

/** @returns the id of the new import */
export async function sendFile(file: File): Promise<string> {
  const form = new FormData()
  if (file.size < packedFrom || file.name.endsWith('.zip')) form.set('file', file)
  else {
    const packed = file.stream().pipeThrough(new CompressionStream('gzip'))
    form.set('file', await new Response(packed).blob(), `${file.name}.gz`)
  }
  return (await call<{ id: string }>('', { method: 'POST', body: form })).id
}

export async function readSource(source: ImportSourceId, token: string, server: string) {
  const body = { source, token, ...(server !== '' && { server }) }
  return (await call<{ id: string }>('', { method: 'POST', body })).id
}

/** Does something to an import. @returns it afterwards */
export const changeImport = {
  readAs: (id: string, source: string) =>
    call<ShownImport>(`/${id}/read`, { method: 'POST', body: { source } }),
  /** @param domain '' is the host of the server */
  readFor: (id: string, domain: string) =>
    call<ShownImport>(`/${id}/read`, { method: 'POST', body: { domain } }),
  map: (id: string, mapping: Partial<Record<MappedField, number>>) =>
    call<ShownImport>(`/${id}/read`, { method: 'POST', body: { mapping } }),
  confirm: (id: string, choices: ImportChoices) =>
    call<ShownImport>(`/${id}/confirm`, { method: 'POST', body: choices }),
  pause: (id: string) => call<ShownImport>(`/${id}/pause`, { method: 'POST' }),
  resume: (id: string) => call<ShownImport>(`/${id}/resume`, { method: 'POST' }),
  undo: (id: string) => call<ShownImport>(`/${id}/undo`, { method: 'POST' }),
}

export async function deleteImport(id: string): Promise<void> {
  await send(`/${id}`, { method: 'DELETE' })
}

/** All rows as a CSV. */
export async function rowsAsCsv(id: string, outcome: RowFilter | undefined): Promise<Blob> {
  const filter = outcome === undefined ? '' : `&outcome=${outcome}`
  return (await send(`/${id}/rows?format=csv${filter}`)).blob()
}
