import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

/** The provider's next answer: a status and a body, raw or as JSON. `never` does not answer. */
export type Say = (
  call: ProviderCall,
) => { status?: number; headers?: Record<string, string>; body: unknown } | 'never'

export interface ProviderCall {
  path: string
  key: string | undefined
  body: Record<string, unknown>
}

export interface FakeProvider {
  /** The value of AI_BASE_URL. */
  baseUrl: string
  origin: string
  calls: ProviderCall[]
  /** Fetches of image addresses, by path. */
  imageFetches: string[]
  say: Say
  /** Served under /images/*, as it is. */
  image: Uint8Array
  close(): Promise<void>
}

/** A local server that speaks OpenAI's wire format and behaves as it is told. */
export async function startProvider(): Promise<FakeProvider> {
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    void answer(provider, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: FakeProvider = {
    baseUrl: `${origin}/v1`,
    origin,
    calls: [],
    imageFetches: [],
    say: wellBehaved,
    image: await picture(),
    close: () =>
      new Promise((resolve) => {
        for (const response of open) response.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider
}

async function answer(provider: FakeProvider, request: IncomingMessage, response: ServerResponse) {
  const path = request.url ?? ''
  if (path.startsWith('/images/')) {
    provider.imageFetches.push(path)
    if (path === '/images/redirect') response.writeHead(302, { location: '/images/real.png' }).end()
    else response.writeHead(200, { 'content-type': 'image/png' }).end(provider.image)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const call = {
    path,
    key: request.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
  }
  provider.calls.push(call)
  const said = provider.say(call)
  if (said === 'never') return
  const { status = 200, headers = {}, body } = said
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const goodContent = {
  title: 'Fresh bread, every morning',
  description: 'Leave your email and know what comes out of the oven tomorrow.',
  ctaText: 'Tell me',
}

const goodDesign = {
  backgroundColor: '#FFF7ED',
  textColor: '#1a1a1a',
  buttonColor: '#c2410c',
  buttonTextColor: '#ffffff',
  accentColor: '#0ea5e9',
  borderRadius: 12,
  fontStyle: 'modern',
  shadowStyle: 'soft',
  size: 'medium',
}

/** A chat completion with this text as its message. */
export function message(content: unknown) {
  return {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  }
}

/** Answers each call as a real provider does. */
export const wellBehaved: Say = ({ path, body }) => {
  if (path === '/v1/images/generations')
    return { body: { created: 1, data: [{ b64_json: tinyPng }] } }
  const format = JSON.stringify(body['response_format']) ?? ''
  return {
    body: message(JSON.stringify(format.includes('popup_design') ? goodDesign : goodContent)),
  }
}

/** A PNG with some picture in it. */
export function picture(size = 64): Promise<Buffer> {
  return sharp({ create: { width: size, height: size, channels: 3, background: '#c2410c' } })
    .png()
    .toBuffer()
}

const tinyPng = (await picture()).toString('base64')
