import { popupNotices } from '#domain/texts.ts'
import { HttpError } from '../http/errors.ts'

/** What can be asked for. */
export type Wish = 'content' | 'design' | 'image'

const failed = {
  content: popupNotices.contentFailed.title,
  design: popupNotices.designFailed.title,
  image: popupNotices.imageFailed.title,
} as const satisfies Record<Wish, string>

/** What people are told, in the words of specification §8: never what a provider said. */
export const aiErrors = {
  /** The provider answered with an error or not in time. */
  failed: (wish: Wish) => new HttpError(502, failed[wish]),
  /** The provider answered, but not with what was asked for. */
  unreadable: () => new HttpError(502, popupNotices.answerUnreadable.title),
  /** The provider failed too often, too much is under way, or today's total is used up. */
  unavailable: (wish: Wish, seconds: number) =>
    new HttpError(503, failed[wish], { 'Retry-After': String(seconds) }),
  personLimit: (limit: number, seconds: number) =>
    new HttpError(
      429,
      `You've reached your daily limit of ${limit} AI generations. Please try again tomorrow.`,
      { 'Retry-After': String(seconds) },
    ),
}

/** A provider did not do its job. It carries a word for the log and nothing of what the provider said. */
export class ProviderError extends Error {
  name = 'ProviderError'
  /** `unreadable`: it answered, but not with what was asked for. */
  readonly kind: 'failed' | 'unreadable'
  /** For the log, for example `status 500`, `timeout`, `image too large`. */
  readonly what: string
  constructor(kind: ProviderError['kind'], what: string) {
    super(`the AI provider ${kind}: ${what}`)
    this.kind = kind
    this.what = what
  }
}
