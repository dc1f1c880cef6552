import { FunctionsClient } from '@supabase/functions-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import type { TableDatabase } from './database.ts'
import { fetchInWords } from './fetch-in-words.ts'
import { fetchAsCaller } from './session/caller.ts'
import { site } from './site.ts'

const origin = window.location.origin
const headers = { apikey: site.anonKey }

/** The table door, as the person who is signed in. */
export const tables = new PostgrestClient<TableDatabase>(`${origin}/rest/v1`, {
  headers,
  fetch: fetchAsCaller,
  // TanStack Query retries queries and says so; a second layer of retries would keep people waiting.
  retry: false,
})

/** The table door, as the bearer of this access token. */
export function tablesAs(token: string): PostgrestClient<TableDatabase> {
  return new PostgrestClient<TableDatabase>(`${origin}/rest/v1`, {
    headers: { ...headers, Authorization: `Bearer ${token}` },
    fetch: fetchInWords,
  })
}

/** The functions door, as the person who is signed in. */
export const functions = new FunctionsClient(`${origin}/functions/v1`, {
  headers,
  customFetch: fetchAsCaller,
})
