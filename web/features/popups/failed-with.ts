import { type Notice, popupNotices } from '#domain/texts.ts'
import { notifyError } from '#web/ui/notify.ts'

/** A failure that people shall read about in these words. */
export class FailedWith extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(notice.title)
    this.notice = notice
  }

  /** Adds what the server gives as the reason, when the request was at fault: a daily limit, a wrong kind of file. */
  static async reasonOf(failure: Notice, response: unknown): Promise<FailedWith> {
    if (!(response instanceof Response)) return new FailedWith(failure)
    const body: unknown = await response.json().catch(() => null)
    const reason =
      typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
    // The server looks into the answers of an AI before the screen does.
    if (reason === popupNotices.answerUnreadable.title)
      return new FailedWith(popupNotices.answerUnreadable)
    if (response.status >= 500 || typeof reason !== 'string') return new FailedWith(failure)
    if (reason === '' || reason === failure.title) return new FailedWith(failure)
    return new FailedWith({ title: failure.title, description: reason.slice(0, 200) })
  }
}

/** Tells of a failure; one without words of its own is told in those of `otherwise`. */
export function tellFailure(error: unknown, otherwise: Notice): void {
  notifyError(error instanceof FailedWith ? error.notice : otherwise)
}
