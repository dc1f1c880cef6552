import { FunctionsClient } from '@supabase/functions-js'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  readGeneratedContent,
  readGeneratedDesign,
  readImageUrl,
} from '#domain/popups/popup-generated.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { askContent, askDesign, askImage, invoke } from './calls.ts'

// Without any configuration: drafts.
let server: TestServer
let ann: TestUser

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeUser(server)
})
describe('who may call', () => {
  it.each(['generate-popup-content', 'generate-popup-image'])('%s needs sign-in', async (name) => {
    const body = { prompt: 'x', type: 'content' }
    expect(await invoke(server, undefined, name, body)).toMatchObject({
      status: 401,
      body: { error: 'No access token' },
    })
    const withKeyOnly = {
      headers: { apikey: server.anonKey, authorization: `Bearer ${server.anonKey}` },
    }
    expect(await invoke(server, withKeyOnly, name, body)).toMatchObject({
      status: 401,
      body: { error: 'No access token' },
    })
    const service = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
    expect((await invoke(server, service, name, body)).status).toBe(401)
    const forged = { headers: { authorization: `Bearer ${ann.accessToken.slice(0, -4)}AAAA` } }
    expect((await invoke(server, forged, name, body)).status).toBe(401)
  })

  it('a session that has ended is refused', async () => {
    const bob = await makeUser(server)
    expect((await askContent(server, bob)).status).toBe(200)
    await fetch(`${server.url}/auth/v1/logout`, { method: 'POST', headers: bob.headers })
    expect((await askContent(server, bob)).status).toBe(401)
  })
})

describe('refusals of the functions', () => {
  it.each([
    ['an empty description', { prompt: '  ', type: 'content' }, 'Please enter a description'],
    ['no description', { type: 'content' }, 'Please enter a description'],
    ['an empty vision', { prompt: '', type: 'design' }, 'Please describe your design vision'],
    ['another type', { prompt: 'x', type: 'code' }, "type must be 'content' or 'design'"],
    [
      '1,001 characters',
      { prompt: 'x'.repeat(1001), type: 'content' },
      'Please use at most 1,000 characters',
    ],
    ['a list', [], "type must be 'content' or 'design'"],
    ['no JSON', '{', 'Body is not valid JSON'],
  ])('%s', async (_what, body, error) => {
    expect(await invoke(server, ann, 'generate-popup-content', body)).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  it('an image of nothing', async () => {
    expect(await invoke(server, ann, 'generate-popup-image', { prompt: ' ' })).toMatchObject({
      status: 400,
      body: { error: 'Please describe the image you want' },
    })
  })

  it('requests that are too large, not JSON, or use another method or name', async () => {
    expect(
      (await invoke(server, ann, 'generate-popup-image', { prompt: 'x'.repeat(70_000) })).status,
    ).toBe(413)
    const url = `${server.url}/functions/v1/generate-popup-image`
    expect((await fetch(url, { method: 'POST', headers: ann.headers, body: 'x' })).status).toBe(415)
    expect((await fetch(url, { headers: ann.headers })).status).toBe(405)
    expect((await invoke(server, ann, 'constructor', {})).status).toBe(404)
    expect((await invoke(server, ann, 'generate-popup-image/x', {})).status).toBe(404)
  })
})

describe('drafts without an AI', () => {
  const prompts = [
    'Newsletter signup for a coffee roastery',
    'x',
    '请为我的咖啡店写一个弹出窗口',
    '<script>alert(1)</script> "quoted" & more',
    'word '.repeat(200),
    '💥'.repeat(400),
  ]

  it.each(prompts.map((prompt, i) => [i, prompt] as const))(
    'the form takes the texts and the design for prompt %i',
    async (_, prompt) => {
      const texts = await askContent(server, ann, prompt)
      expect(texts.status).toBe(200)
      expect(readGeneratedContent(texts.body.content)).not.toBeNull()
      const design = await askDesign(server, ann, prompt)
      expect(readGeneratedDesign(design.body.content)).not.toBeNull()
    },
  )

  it('an image is served from this server, and a palette must be one', async () => {
    const { status, body } = await askImage(server, ann, 'A rocket launch for our new app')
    expect(status).toBe(200)
    expect(readImageUrl(body)).toBe(body.imageUrl)
    const image = await fetch(server.url + body.imageUrl)
    expect(image.status).toBe(200)
    expect(image.headers.get('content-type')).toBe('image/webp')
    const palette = { background: '"/><script>', accent: '#000000' }
    expect(
      await invoke(server, ann, 'generate-popup-image', { prompt: 'x', palette }),
    ).toMatchObject({ status: 400, body: { error: 'a color must look like #1a2b3c' } })
  })
})

it('the server serves the official client', async () => {
  await server.sql('delete from app.ai_usage')
  const client = new FunctionsClient(`${server.url}/functions/v1`, { headers: ann.headers })
  const { data, error } = await client.invoke<{ content: string }>('generate-popup-content', {
    body: { prompt: 'bread', type: 'content' },
  })
  expect(error).toBeNull()
  expect(readGeneratedContent(data?.content)).not.toBeNull()
})

it('rate-limits each person separately', async () => {
  const limited = await startTestServer({ rateLimits: true })
  const [bob, eve] = [await makeUser(limited), await makeUser(limited)]
  const statuses = []
  for (let i = 0; i < 16; i++) statuses.push((await askContent(limited, bob)).status)
  expect(statuses).toEqual([...Array<number>(15).fill(200), 429])
  expect((await askContent(limited, eve)).status).toBe(200)
  await limited.close()
})
