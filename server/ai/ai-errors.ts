import { popupNotices } from '#domain/texts/popup-texts.ts'
import { HttpError } from '../http/errors.ts'

/** Kinds of generations. */
export const aiTasks = ['content', 'design', 'image', 'codes'] as const

export type AiTask = (typeof aiTasks)[number]

const failed = (task: AiTask) =>
  task === 'codes' ? 'Failed to suggest codes' : popupNotices[`${task}Failed` as const].title

/** Messages for a failed call: our own texts, never those of a provider. */
export const aiErrors = {
  /** The provider answered with an error or not in time. */
  failed: (task: AiTask) => new HttpError(502, failed(task)),
  /** The provider answered, but not in the requested form. */
  unreadable: () => new HttpError(502, popupNotices.answerUnreadable.title),
  /** The provider failed too often, or today's total is used up. */
  unavailable: (task: AiTask, seconds: number) =>
    new HttpError(503, failed(task), { 'Retry-After': String(seconds) }),
  personLimit: (limit: number, seconds: number) =>
    new HttpError(
      429,
      `You've reached your daily limit of ${limit} AI generations. Please try again tomorrow.`,
      { 'Retry-After': String(seconds) },
    ),
}

/** A provider failed. Carries a word for the log, and nothing that the provider said. */
export class AiProviderError extends Error {
  name = 'AiProviderError'
  /** `refused`: it does not take this prompt. `unreadable`: it answered, but not in the requested form. */
  readonly kind: 'failed' | 'refused' | 'unreadable'
  /** For the log, for example `status 500`, `timeout`, `image too large`. */
  readonly what: string
  constructor(kind: AiProviderError['kind'], what: string) {
    super(`the AI provider ${kind}: ${what}`)
    this.kind = kind
    this.what = what
  }
}
