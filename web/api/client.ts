import { FunctionsClient } from '@supabase/functions-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import type { TableDatabase } from './database.ts'
import { fetchInWords } from './fetch-in-words.ts'
import { fetchAsCaller, fetchAsPerson } from '../session/caller.ts'
import { site } from '../site.ts'

const origin = window.location.origin
const headers = { apikey: site.anonKey }

/** The table door, for the account that the page acts for. */
export const tables = new PostgrestClient<TableDatabase>(`${origin}/rest/v1`, {
  headers,
  fetch: fetchAsCaller,
  // TanStack Query retries queries and says so; a second layer of retries would keep people waiting.
  retry: false,
})

/** The table door, for the person's own account, also in a space. */
export const personTables = new PostgrestClient<TableDatabase>(`${origin}/rest/v1`, {
  headers,
  fetch: fetchAsPerson,
  retry: false,
})

interface Request<Data> {
  abortSignal: (signal: AbortSignal) => Request<Data>
  throwOnError: () => PromiseLike<{ data: Data }>
}

/** Rows of a request, or the result of a procedure. @throws the refusal of the server */
export async function answerOf<Data>(request: Request<Data>, signal?: AbortSignal): Promise<Data> {
  const stoppable = signal === undefined ? request : request.abortSignal(signal)
  return (await stoppable.throwOnError()).data
}

interface RowsRequest<Row> extends Request<Row[]> {
  abortSignal: (signal: AbortSignal) => RowsRequest<Row>
  maybeSingle: <One = Row>() => { throwOnError: () => PromiseLike<{ data: One | null }> }
}

/** The row of a request that finds at most one; null without it. @throws the refusal of the server */
export async function oneRowOf<Row>(
  request: RowsRequest<Row>,
  signal: AbortSignal,
): Promise<Row | null> {
  return (await request.abortSignal(signal).maybeSingle().throwOnError()).data
}

/** The table door, as the bearer of this access token. */
export function tablesAs(token: string): PostgrestClient<TableDatabase> {
  return new PostgrestClient<TableDatabase>(`${origin}/rest/v1`, {
    headers: { ...headers, Authorization: `Bearer ${token}` },
    fetch: fetchInWords,
  })
}

/** The functions door, for the account that the page acts for. */
export const functions = new FunctionsClient(`${origin}/functions/v1`, {
  headers,
  customFetch: fetchAsCaller,
})
