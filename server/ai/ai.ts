import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { HttpError } from '../http/errors.ts'
import { ImageError } from '../media/image.ts'
import type { Media } from '../media/media.ts'
import { type Database, DatabaseUnavailableError } from '../postgres/database.ts'
import { type Breaker, createBreaker } from '../primitives/breaker.ts'
import { createCounts } from '../primitives/counts.ts'
import { inSpan } from '../tracing/span.ts'
import { DeadlineExceededError, withDeadline } from '../primitives/deadline.ts'
import { sha256 } from '../primitives/sha256.ts'
import { aiErrors, AiProviderError, type AiTask, aiTasks } from './ai-errors.ts'
import type { ImagePalette } from './ai-provider.ts'
import { asksForEmail, designFields } from './answers.ts'
import { ensureContrast } from './contrast.ts'
import { draftsProvider } from './drafts/drafts-provider.ts'
import { createOpenAiProvider } from './openai-provider.ts'
import { refund, reserve } from './usage.ts'
import { ifError, matchError, replaceError } from '../primitives/caught-error.ts'

/** The caller, and where to log the call. */
interface AiRequest {
  /** Is charged for the call. */
  /** The human: a day has so many calls for each, whichever account they act for. */
  userId: string
  /** The account that an image is for. */
  accountId: string
  log: Logger
}

interface AiDeps {
  config: Pick<Config, 'ai'>
  database: Database
  media: Media
}

/**
 * How calls end. `refused`: the provider does not take the prompt. `paused`: not made, because the provider failed too often. `person_limit`, `total_limit`: not made, because
 * the day's calls are used up.
 */
const outcomes = [
  'ok',
  'failed',
  'timeout',
  'refused',
  'unreadable',
  'paused',
  'person_limit',
  'total_limit',
  'error',
] as const

/**
 * The AI functions: check the breaker, reserve one of the day's calls, call the provider within the deadline, refund the
 * call when it failed, unless the provider refused the prompt. Texts and images have a breaker each, because different machines may serve them.
 */
export function createAi({ config: { ai }, database, media }: AiDeps) {
  const { texts, images, connected } = providersOf(ai)
  const calls = createCounts(aiTasks, outcomes)
  const breakers = { text: providerBreaker(), image: providerBreaker() }

  const charged = async <T>(
    task: AiTask,
    prompt: string,
    { userId, log }: AiRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const kind = task === 'image' ? 'image' : 'text'
    const breaker = breakers[kind]
    const retryAfter = breaker.retryAfterSeconds()
    if (retryAfter !== undefined) {
      calls.add(task, 'paused')
      throw aiErrors.unavailable(task, retryAfter)
    }
    const day = await reserve(database, userId, ai.limits, task).catch((error: unknown) => {
      calls.add(task, limitOf(error) ?? 'error')
      throw error
    })
    const facts = { ai: task, user_id: userId, prompt_hash: hashOf(prompt) }
    const started = performance.now()
    try {
      const result = await inSpan(`ai ${task}`, { kind: 'client' }, () =>
        withDeadline(ai.timeLimits[kind], work),
      )
      breaker.succeeded()
      calls.add(task, 'ok')
      log.info({ ...facts, ms: Math.round(performance.now() - started) }, 'generated')
      return result
    } catch (thrown) {
      calls.add(task, outcomeOf(thrown))
      // Refused calls are charged: the day's limit bounds how often a person can repeat one.
      if (!isRefused(thrown))
        await refund(database, userId, day).catch(
          ifError(DatabaseUnavailableError, () =>
            log.warn(facts, 'an AI call could not be refunded'),
          ),
        )
      const error =
        thrown instanceof DeadlineExceededError ? new AiProviderError('failed', 'timeout') : thrown
      if (!(error instanceof AiProviderError)) throw error
      log.warn({ ...facts, kind: error.kind, what: error.what }, 'AI provider failed')
      // A bad answer or a refusal shows that the provider is reachable: only failures open the breaker.
      if (error.kind === 'failed') breaker.failed()
      else breaker.succeeded()
      throw error.kind === 'unreadable' && task !== 'image'
        ? aiErrors.unreadable()
        : aiErrors.failed(task)
    }
  }

  // All three throw an HttpError 429, 502 or 503 with the text that people read.
  return {
    connected,
    /** Calls by outcome. */
    calls,
    async generateContent(prompt: string, request: AiRequest) {
      const content = await charged('content', prompt, request, (signal) =>
        texts.write('content', prompt, signal),
      )
      return { ...content, collectEmail: asksForEmail(content) }
    },
    async generateDesign(prompt: string, request: AiRequest) {
      const written = await charged('design', prompt, request, (signal) =>
        texts.write('design', prompt, signal),
      )
      const { understood = designFields, ...proposed } = written
      const { design, mended } = ensureContrast(proposed)
      return { ...design, mended, understood }
    },
    /** Codes for the title and the address of a page, neither checked nor known to be free. */
    suggestCodes: async (prompt: string, request: AiRequest): Promise<string[]> =>
      (await charged('codes', prompt, request, (signal) => texts.write('codes', prompt, signal)))
        .codes,
    /** Returns the path of the stored image. */
    generateImage: (prompt: string, palette: ImagePalette | undefined, request: AiRequest) =>
      charged('image', prompt, request, async (signal) => {
        const bytes = await images.draw(prompt, palette, signal)
        return media
          .saveGenerated(request.accountId, bytes)
          .catch(
            replaceError(ImageError, ({ message }) => new AiProviderError('unreadable', message)),
          )
      }),
  }
}

/** Which of the day's limits refused a call. */
function limitOf(error: unknown): 'person_limit' | 'total_limit' | undefined {
  return matchError(error, [
    HttpError,
    ({ status }) => (status === 429 ? 'person_limit' : 'total_limit'),
  ])
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof AiProviderError && thrown.kind === 'refused'
}

function outcomeOf(thrown: unknown): AiProviderError['kind'] | 'timeout' | 'error' {
  const known: AiProviderError['kind'] | 'timeout' | undefined = matchError(
    thrown,
    [DeadlineExceededError, () => 'timeout'],
    [AiProviderError, ({ kind }) => kind],
  )
  return known ?? 'error'
}

/** The drafts of this server replace a provider that is not configured. */
function providersOf({ provider }: Config['ai']) {
  const configured = provider && createOpenAiProvider(provider)
  const drawing = provider?.imageModel ? configured : undefined
  return {
    texts: configured ?? draftsProvider,
    images: drawing ?? draftsProvider,
    connected: { text: configured !== undefined, image: drawing !== undefined },
  }
}

function providerBreaker(): Breaker {
  return createBreaker({ maxFailures: 5, retryMs: 30_000 })
}

/** Finds one person's prompts in the log without storing their text. */
function hashOf(prompt: string): string {
  return sha256(prompt).toString('hex').slice(0, 16)
}
