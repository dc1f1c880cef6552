import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { Database } from '../postgres/database.ts'
import type { Logger } from '../log.ts'
import { ImageError } from '../media/image.ts'
import type { Media } from '../media/media.ts'
import type { Answers } from './answers.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { builtInProvider } from './built-in/provider.ts'
import { aiErrors, ProviderError, type Wish } from './errors.ts'
import { createOpenAiProvider } from './openai-provider.ts'
import type { Provider } from './provider.ts'
import { refund, reserve } from './usage.ts'

interface Asker {
  /** The person's id, who is charged. */
  person: string
  log: Logger
}

export interface Ai {
  /** @throws {HttpError} 429, 502 or 503 with the text that people read */
  generate<Kind extends keyof Answers>(
    kind: Kind,
    prompt: string,
    asker: Asker,
  ): Promise<Answers[Kind]>
  /** The path of the stored image. @throws {HttpError} as above */
  generateImage(prompt: string, asker: Asker): Promise<string>
}

interface Parts {
  config: Pick<Config, 'ai'>
  database: Database
  media: Media
}

/** Calls of everybody under way at one time; a slow provider holds no more than that. */
const mostAtOnce = 40

/**
 * The AI functions: limit, reserve one of the day's calls, ask within the time limit, give the call back when it
 * failed. Texts and images have a breaker each, because they may be served by different machines.
 */
export function createAi({ config: { ai }, database, media }: Parts): Ai {
  const { texts, images } = providersOf(ai)
  const breakers = { text: createBreaker(), image: createBreaker() }
  let underWay = 0

  const charged = async <T>(
    wish: Wish,
    prompt: string,
    { person, log }: Asker,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const kind = wish === 'image' ? 'image' : 'text'
    const breaker = breakers[kind]
    const pause = breaker.closedFor()
    if (pause !== undefined) throw aiErrors.unavailable(wish, pause)
    const reserved = await reserve(database, person, ai.limits)
    if (!reserved.ok) {
      throw reserved.limit === 'person'
        ? aiErrors.personLimit(ai.limits.perPerson, reserved.secondsLeft)
        : aiErrors.unavailable(wish, reserved.secondsLeft)
    }
    const facts = { ai: wish, user_id: person, prompt_hash: hashOf(prompt) }
    const started = performance.now()
    underWay++
    try {
      if (underWay > mostAtOnce) throw aiErrors.unavailable(wish, 5)
      const result = await within(ai.timeLimits[kind], work)
      breaker.succeeded()
      log.info({ ...facts, ms: Math.round(performance.now() - started) }, 'generated')
      return result
    } catch (error) {
      await refund(database, person, reserved.day).catch((lost: unknown) => {
        if (!(lost instanceof DatabaseUnavailableError)) throw lost
        log.warn(facts, 'an AI call could not be given back')
      })
      if (!(error instanceof ProviderError)) throw error
      note(breaker, error)
      log.warn({ ...facts, kind: error.kind, what: error.what }, 'AI provider failed')
      throw error.kind === 'failed' || wish === 'image'
        ? aiErrors.failed(wish)
        : aiErrors.unreadable()
    } finally {
      underWay--
    }
  }

  return {
    generate: (kind, prompt, asker) =>
      charged(kind, prompt, asker, (signal) => texts.write(kind, prompt, signal)),
    generateImage: (prompt, asker) =>
      charged('image', prompt, asker, async (signal) => {
        const bytes = await images.draw(prompt, signal)
        try {
          return await media.saveGenerated(asker.person, bytes)
        } catch (error) {
          if (error instanceof ImageError) throw new ProviderError('unreadable', error.message)
          throw error
        }
      }),
  }
}

function providersOf(ai: Config['ai']): { texts: Provider; images: Provider } {
  if (!ai.provider) return { texts: builtInProvider, images: builtInProvider }
  const configured = createOpenAiProvider(ai.provider)
  return { texts: configured, images: ai.provider.imageModel ? configured : builtInProvider }
}

/** A bad answer shows that the provider is there: only failures count towards the pause. */
function note(breaker: Breaker, error: ProviderError): void {
  if (error.kind === 'failed') breaker.failed()
  else breaker.succeeded()
}

/** Ends the wait after `limit` milliseconds, whether or not the work heeds its signal. */
async function within<T>(limit: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ProviderError('failed', 'timeout'))
      controller.abort()
    }, limit)
  })
  try {
    return await Promise.race([work(controller.signal), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Finds the prompts of one complaint in the log without keeping what people wrote. */
function hashOf(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex').slice(0, 16)
}
