import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { aiConfig } from '#test/functions/calls.ts'
import { type FakeProvider, message, startProvider } from '#test/functions/provider.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

let provider: FakeProvider
let server: TestServer
let ann: TestUser
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer(aiConfig(provider.baseUrl))
  ann = await makeUser(server, { plan: 'business' })
})
afterAll(async () => {
  await server.close()
  await provider.close()
})

async function suggest(url: string, title: string, headers = ann.headers): Promise<unknown> {
  const response = await fetch(`${server.url}/rest/v1/rpc/suggest_codes`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ _url: url, _title: title }),
  })
  return response.json()
}

test('codes of the AI come first, as far as they are valid and free', async () => {
  await makeLink(server, ann, { short_code: 'taken-idea' })
  const codes = ['Taken-Idea', 'not a code', 'paypal', 'Warm-Coat']
  provider.say = () => ({ body: message(JSON.stringify({ codes })) })
  expect(await suggest('https://shop.example/coats/winter-coat', 'Coats')).toEqual([
    'warm-coat',
    'coats',
    'winter-coat',
  ])
})

test('without an answer of the AI, codes come from title and path', async () => {
  provider.say = () => ({ status: 500, body: 'broken' })
  expect(await suggest('https://shop.example/coats/rain-coat', 'The rain coat for kids')).toEqual([
    'rain-coat-kids',
    'rain-coat',
    'shop-rain-coat',
  ])
})

test('people without a session get no suggestions', async () => {
  expect(await suggest('https://shop.example/', '', { apikey: server.anonKey })).toMatchObject({
    code: '42501',
  })
})

test('create_links answers with the newest link to an address, and saves rules', async () => {
  const create = async (links: object[]) => {
    const response = await fetch(`${server.url}/rest/v1/rpc/create_links`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ _links: links }),
    })
    return (await response.json()) as {
      status: string
      link?: { id: string; short_code: string }
      error?: { message: string }
    }[]
  }
  const url = 'https://reuse.example/page'
  const rules = [{ when: [{ fact: 'country', is: ['de'] }], to: 'https://reuse.example/de' }]
  const [first] = await create([{ original_url: url, reuse: true, rules }])
  expect(first?.status).toBe('created')
  const [stored] = await server.sql<{ rules: { when: { is: string[] }[] }[] }>(
    'select rules from app.link_rules where link_id = $1',
    [first?.link?.id],
  )
  expect(stored?.rules[0]?.when[0]?.is).toEqual(['DE'])
  const [again, other, refused] = await create([
    { original_url: 'HTTPS://Reuse.example/page', reuse: true },
    { original_url: url },
    { original_url: url, rules: [{ when: [], to: 'https://reuse.example' }] },
  ])
  expect(again).toMatchObject({ status: 'reused', link: { short_code: first?.link?.short_code } })
  expect(other?.status).toBe('created')
  expect(refused).toMatchObject({ status: 'failed' })
})
