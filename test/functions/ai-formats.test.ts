import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { readGeneratedContent, readGeneratedDesign } from '#domain/popups/popup-generated.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { aiConfig, askContent, askDesign, invoke } from './calls.ts'
import { type FakeProvider, message, type Say, startProvider, wellBehaved } from './provider.ts'

let provider: FakeProvider
let server: TestServer
let ann: TestUser

// A server each: it remembers which format its provider takes.
beforeEach(async () => {
  provider = await startProvider()
  server = await startTestServer(aiConfig(provider.baseUrl))
  ann = await makeUser(server)
})
afterEach(async () => {
  await server.close()
  await provider.close()
})

const texts = { title: 'Fresh bread', description: 'Every morning at seven.', ctaText: 'Tell me' }
const look = {
  backgroundColor: '#ffffff',
  textColor: '#ffffff',
  buttonColor: '#c2410c',
  buttonTextColor: '#ffffff',
  accentColor: '#0ea5e9',
  borderRadius: 12,
  fontStyle: 'modern',
  shadowStyle: 'soft',
  size: 'medium',
}

/** The answer of a server that knows only some values of response_format. */
const knowing =
  (...known: (string | undefined)[]): Say =>
  ({ body }) => {
    const format = body['response_format'] as { type: string } | undefined
    return known.includes(format?.type)
      ? { body: message(JSON.stringify(texts)) }
      : { status: 400, body: { error: { message: 'response_format.type is not supported' } } }
  }

const formatsAsked = () =>
  provider.calls.map(({ body }) => (body['response_format'] as { type: string } | undefined)?.type)

describe('a server that does not know every response_format', () => {
  it('is asked for plain JSON next, and remembered', async () => {
    provider.say = knowing('json_object', undefined)
    expect((await askContent(server, ann)).status).toBe(200)
    expect((await askContent(server, ann)).status).toBe(200)
    expect(formatsAsked()).toEqual(['json_schema', 'json_object', 'json_object'])
  })

  it('is finally asked without any format, with the older name of the token limit', async () => {
    provider.say = knowing(undefined)
    expect((await askContent(server, ann)).status).toBe(200)
    expect((await askContent(server, ann)).status).toBe(200)
    expect(formatsAsked()).toEqual(['json_schema', 'json_object', undefined, undefined])
    expect(provider.calls.at(-1)?.body).toMatchObject({ max_tokens: 1_000 })
    expect(provider.calls.at(-1)?.body).not.toHaveProperty('max_completion_tokens')
  })

  it('that refuses everything is not remembered as one without formats', async () => {
    provider.say = knowing('nothing')
    expect((await askContent(server, ann)).status).toBe(502)
    provider.say = wellBehaved
    expect((await askContent(server, ann)).status).toBe(200)
    expect(formatsAsked()).toEqual(['json_schema', 'json_object', undefined, 'json_schema'])
  })

  it('is not asked again for a refusal of another kind', async () => {
    provider.say = () => ({ status: 401, body: {} })
    expect((await askContent(server, ann)).status).toBe(502)
    expect(formatsAsked()).toEqual(['json_schema'])
  })
})

describe('text of models around the object', () => {
  it.each([
    ['a sentence', `Sure! Here is your popup: ${JSON.stringify(texts)} Let me know.`],
    ['a code fence', `\`\`\`json\n${JSON.stringify(texts, null, 2)}\n\`\`\``],
    ['both', `Here you go:\n\n\`\`\`\n${JSON.stringify(texts)}\n\`\`\`\n\nEnjoy!`],
    ['their thoughts', `<think>A bakery.</think>\n${JSON.stringify(texts)}`],
  ])('%s is read', async (_what, text) => {
    provider.say = () => ({ body: message(text) })
    const { status, body } = await askContent(server, ann)
    expect(status).toBe(200)
    expect(readGeneratedContent(body.content)).toEqual({
      title: texts.title,
      description: texts.description,
      cta_text: texts.ctaText,
      collect_email: false,
    })
  })

  it('two objects are not', async () => {
    const two = `${JSON.stringify(texts)} or ${JSON.stringify(texts)}`
    provider.say = () => ({ body: message(two) })
    expect(await askContent(server, ann)).toMatchObject({
      status: 502,
      body: { error: 'Failed to parse AI response' },
    })
  })
})

it('white on white is mended, and the answer says so', async () => {
  provider.say = () => ({ body: message(JSON.stringify(look)) })
  const design = readGeneratedDesign((await askDesign(server, ann)).body.content)
  expect(design?.mended).toEqual(['textColor'])
  expect(design?.look).toMatchObject({ background_color: '#ffffff', button_text_color: '#ffffff' })
  expect(contrast(design?.look.text_color ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
  // The control: a readable answer stays as it is.
  provider.say = () => ({ body: message(JSON.stringify({ ...look, textColor: '#111111' })) })
  const readable = readGeneratedDesign((await askDesign(server, ann)).body.content)
  expect(readable).toMatchObject({ mended: [], look: { text_color: '#111111' } })
})

it.each([
  ['Leave your email and we’ll write.', true],
  ['Trage deine E-Mail-Adresse ein.', true],
  ['メールアドレスを入力してください', true],
  ['ニュースレターを購読する', true],
  ['订阅我们的通讯', true],
  ['訂閱電子報', true],
  ['뉴스레터를 받아 보세요', true],
  ['Подпишитесь на рассылку', true],
  ['今日のパンは焼きたてです', false],
  ['Questions? Email us at any time.', false],
  ['Fresh bread, every morning.', false],
])('%s: an email field is asked for: %s', async (description, collectEmail) => {
  provider.say = () => ({ body: message(JSON.stringify({ ...texts, description })) })
  const content = readGeneratedContent((await askContent(server, ann)).body.content)
  expect(content?.collect_email).toBe(collectEmail)
})

it('the server lists the tasks of an AI for the browser', async () => {
  expect((await invoke(server, ann, 'ai-status', {})).body).toEqual({ text: true, image: true })
})
