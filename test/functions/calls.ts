import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { TestUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'

type Server = Pick<TestServer, 'url'>

export interface Answer {
  status: number
  body: { content?: string; imageUrl?: string; error?: string }
  headers: Headers
}

/** Calls a function as the official client does. */
export async function invoke(
  server: Server,
  user: Pick<TestUser, 'headers'> | undefined,
  name: string,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(`${server.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user?.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    headers: response.headers,
  }
}

export const askContent = (server: Server, user: TestUser, prompt = 'bread for the village') =>
  invoke(server, user, 'generate-popup-content', { prompt, type: 'content' })
export const askDesign = (server: Server, user: TestUser, prompt = 'warm and calm') =>
  invoke(server, user, 'generate-popup-content', { prompt, type: 'design' })
export const askImage = (server: Server, user: TestUser, prompt = 'a loaf of bread') =>
  invoke(server, user, 'generate-popup-image', { prompt })

const { ai } = createConfig(parseVariables({}))

/** The AI part of a configuration, with that provider. */
export function aiConfig(
  baseUrl: string | undefined,
  more: Partial<typeof ai> & { apiKey?: string } = {},
): { ai: typeof ai } {
  const { apiKey = 'a-key', ...rest } = more
  const provider = baseUrl
    ? { baseUrl, apiKey, textModel: 'some-text', imageModel: 'some-image' }
    : undefined
  return { ai: { ...ai, ...rest, provider } }
}
