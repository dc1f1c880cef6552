import { PostgrestClient } from '@supabase/postgrest-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

let server: TestServer
let ann: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeUser(server, { plan: 'pro' })
})
afterAll(() => server.close())

function clientOf(user?: TestUser) {
  const headers = user?.headers ?? { apikey: server.anonKey }
  return new PostgrestClient(`${server.url}/rest/v1`, { headers })
}

it('does the main job through the official client', async () => {
  const db = clientOf(ann)
  const made = await db
    .from('shortened_urls')
    .insert({ original_url: 'https://example.com/a', user_id: ann.id })
    .select()
    .single()
  expect(made.error).toBeNull()
  expect(made.status).toBe(201)
  expect(made.data).toMatchObject({ original_url: 'https://example.com/a', click_count: 0 })
})
