import { queryOptions } from '@tanstack/react-query'
import type { ReferencePart } from '#domain/routes.ts'
import { fetchInWords } from '#web/api/fetch-in-words.ts'

/** An OpenAPI document, as far as this page looks into it. */
export interface ApiDescription {
  info: { description?: string }
  servers: { url: string }[]
}

/** The key is not a good one. */
export class KeyRefusedError extends Error {}

const doors: Record<ReferencePart, { path: string; description: string }> = {
  tables: { path: '/rest/v1', description: '/rest/v1/' },
  account: { path: '/auth/v1', description: '/auth/v1/openapi.json' },
  functions: { path: '/functions/v1', description: '/functions/v1/openapi.json' },
}

/** Audience of the description: the holder of a key, the person who is signed in, or everyone. */
export type DescriptionReader = { key: string } | { userId: string } | undefined

export function descriptionQuery(part: ReferencePart, reader: DescriptionReader) {
  return queryOptions({
    queryKey: ['api description', part, reader ?? null],
    queryFn: ({ signal }) => readDescription(part, reader, signal),
    staleTime: Infinity,
    gcTime: 0,
  })
}

/** @throws {KeyRefusedError} */
export async function readDescription(
  part: ReferencePart,
  reader: DescriptionReader,
  signal?: AbortSignal,
): Promise<ApiDescription> {
  const { path, description } = doors[part]
  const response = await ask(description, reader, signal)
  if (response.status === 401 || response.status === 403) throw new KeyRefusedError()
  if (!response.ok) throw new Error(`${description} answered ${response.status}`)
  const read = (await response.json()) as ApiDescription
  // The page may be open at another address than the public one; it may send requests to its own only.
  const url = `${window.location.origin}${path}`
  const overview = `${read.info.description ?? ''}\n\n${firstSteps(part, url)}`
  return { ...read, info: { ...read.info, description: overview }, servers: [{ url }] }
}

/** Beside the list of calls, where none is chosen yet. Keys read tables only. */
function firstSteps(part: ReferencePart, url: string): string {
  const call = `curl '${url}/shortened_urls?select=short_code&limit=3' \\\n  -H 'Authorization: Bearer YOUR_KEY'`
  return [
    `## Base address\n\n\`${url}\``,
    ...(part === 'tables' ? [`## First call\n\n\`\`\`\n${call}\n\`\`\``] : []),
    `[Guide with examples](${window.location.origin}/docs/api)`,
  ].join('\n\n')
}

async function ask(
  path: string,
  reader: DescriptionReader,
  signal?: AbortSignal,
): Promise<Response> {
  const init = signal ? { signal } : {}
  if (reader === undefined) return fetchInWords(path, init)
  if ('key' in reader)
    return fetchInWords(path, { ...init, headers: { Authorization: `Bearer ${reader.key}` } })
  const { fetchAsCaller } = await import('#web/session/caller.ts')
  return fetchAsCaller(path, init)
}
