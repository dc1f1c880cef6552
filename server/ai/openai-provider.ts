import OpenAI, { APIConnectionError, APIError } from 'openai'
import { z } from 'zod'
import { type Answers, jsonSchemas, readAnswer } from './answers.ts'
import { ProviderError } from './errors.ts'
import { fetchProviderImage } from './provider-image.ts'
import { instructions } from './instructions.ts'
import type { Provider } from './provider.ts'

export interface ProviderSettings {
  /** For example `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string
  textModel: string
  imageModel: string | undefined
}

const mostImageBytes = 5 * 1024 * 1024
/** Base64 of the largest image with room for the rest. */
const mostAnswerBytes = Math.ceil((mostImageBytes * 4) / 3) + 256 * 1024

const imageAnswer = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
})

/** Any server that speaks OpenAI's wire format: chat completions with a JSON schema, and image generations. */
export function createOpenAiProvider(settings: ProviderSettings): Provider {
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
    // Nothing of this comes from the server's own environment: env.ts is the only reader.
    organization: null,
    project: null,
    maxRetries: 1,
    logLevel: 'off',
    fetch: boundedFetch,
  })

  return {
    async write(kind, prompt, signal) {
      const completion = await asked(() =>
        client.chat.completions.create(
          {
            model: settings.textModel,
            max_completion_tokens: 1_000,
            messages: [
              { role: 'system', content: instructions[kind] },
              { role: 'user', content: prompt },
            ],
            response_format: {
              type: 'json_schema',
              json_schema: { name: `popup_${kind}`, strict: true, schema: jsonSchemas[kind] },
            },
          },
          { signal },
        ),
      )
      return readAnswer(kind, messageOf(completion)) satisfies Answers[typeof kind]
    },

    async draw(prompt, signal) {
      const model = settings.imageModel ?? ''
      const answer = await asked(() =>
        client.images.generate(
          {
            model,
            prompt: `${instructions.image}\n\n${prompt}`,
            n: 1,
            size: '1024x1024',
            // Newer models answer with the bytes and refuse to be asked for them.
            ...(model.startsWith('dall-e') && { response_format: 'b64_json' }),
          },
          { signal },
        ),
      )
      const parsed = imageAnswer.safeParse(answer)
      const first = parsed.data?.data[0]
      if (first?.b64_json) return decode(first.b64_json)
      if (first?.url) return fetchProviderImage(first.url, { provider: settings.baseUrl, signal })
      throw new ProviderError('unreadable', 'no image in the answer')
    },
  }
}

/** Turns whatever the client throws into a ProviderError without its text: that may hold the key or the prompt. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProviderError) throw error
    if (error instanceof APIConnectionError && error.cause instanceof ProviderError)
      throw error.cause
    if (error instanceof APIError && error.status !== undefined) {
      throw new ProviderError('failed', `status ${error.status}`)
    }
    if (error instanceof SyntaxError) throw new ProviderError('unreadable', 'the answer is no JSON')
    throw new ProviderError('failed', error instanceof Error ? error.constructor.name : 'unknown')
  }
}

const chat = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
})

function messageOf(completion: unknown): string | null | undefined {
  const parsed = chat.safeParse(completion)
  if (!parsed.success) throw new ProviderError('unreadable', 'no message in the answer')
  return parsed.data.choices[0]?.message.content
}

function decode(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > mostImageBytes) throw new ProviderError('unreadable', 'image too large')
  return bytes
}

/** The client's fetch: follows no redirect (the key would travel), and never holds more than the largest answer. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'error' })
  if (!response.body) return response
  let size = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > mostAnswerBytes) {
        controller.error(new ProviderError('unreadable', 'answer too large'))
      } else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}
