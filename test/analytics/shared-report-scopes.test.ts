import { beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestLink, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'

let server: TestServer
let person: TestUser
let link: TestLink
beforeAll(async () => {
  server = await sharedServer()
  person = await makeUser(server, { plan: 'business' })
  link = await makeLink(server, person)
})

async function withKey(...scopes: string[]) {
  const made = await fetch(`${server.url}/auth/v1/user/api-keys`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: scopes.join(), scopes, expires_in_days: 1 }),
  })
  const { key } = (await made.json()) as { key: string }
  return async (method: string, query: string, body?: object) => {
    const path = query.startsWith('/') ? query : `/shared_reports${query}`
    const response = await fetch(`${server.url}/rest/v1${path}`, {
      method,
      headers: {
        apikey: key,
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}

it('the analytics of a link are opened and read only with the scope of analytics', async () => {
  const links = await withKey('links:read', 'links:write')
  const both = await withKey('links:read', 'links:write', 'analytics:read')
  const row = { link_id: link.id }
  const refused = await links('POST', '?select=id', row)
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('analytics:read')])
  // Control: with both scopes the report is there, with its token.
  const shared = await both('POST', '?select=id,token', row)
  expect(shared.status).toBe(201)
  expect(shared.text).toMatch(/"token":\s*"[\w-]{20,}"/)
  const mine = `?link_id=eq.${link.id}`
  expect((await links('GET', `${mine}&select=id,enabled`)).status).toBe(200)
  for (const query of ['&select=token', '&select=id&token=like.*', '&select=id&order=token'])
    expect((await links('GET', mine + query)).status, query).toBeGreaterThanOrEqual(400)
  expect((await links('GET', `${mine}&select=*`)).text).not.toContain('token')
  const embedded = `/shortened_urls?select=id,shared_reports(token)&id=eq.${link.id}`
  expect((await links('GET', embedded)).status).toBe(403)
  expect((await both('GET', embedded)).text).toMatch(/"token":/)
  for (const [method, body] of [
    ['PATCH', { enabled: true }],
    ['DELETE', undefined],
  ] as const)
    expect((await links(method, mine, body)).status, method).toBe(403)
  expect((await both('PATCH', mine, { enabled: false })).status).toBe(200)
})
