import { queryOptions } from '@tanstack/react-query'
import type { ShownArchive } from '#domain/transfer/archive-shapes.ts'
import { refusalFields } from '#web/api/fetch-in-words.ts'
import { fetchAsCaller } from '#web/session/caller.ts'
import { site } from '#web/site.ts'

/** A refusal of the functions door, in its words. */
class ArchiveRefusedError extends Error {}

/** @throws {ArchiveRefusedError} with a message for people */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { apikey: site.anonKey }
  const response = await fetchAsCaller(`/functions/v1/archives${path}`, { ...init, headers })
  if (response.ok) return response
  const { error = 'Please try again.' } = await refusalFields(response)
  throw new ArchiveRefusedError(String(error))
}

const refreshMs = 1_500

/** Archives of the account, newest first; asked again while one is made. */
export function archivesQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'archives'],
    queryFn: async ({ signal }) => (await (await send('', { signal })).json()) as ShownArchive[],
    refetchInterval: ({ state: { data } }) => (data?.[0]?.state === 'making' ? refreshMs : false),
  })
}

export async function startArchive(): Promise<void> {
  await send('', { method: 'POST' })
}

export async function fetchArchive({ id }: Pick<ShownArchive, 'id'>): Promise<Blob> {
  return (await send(`/${id}/file`)).blob()
}
