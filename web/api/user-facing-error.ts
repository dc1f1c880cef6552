import { refusalFields } from './fetch-in-words.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'

/** A failure with words for people. */
export class UserFacingError extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(notice.title)
    this.notice = notice
  }

  /** Adds the server's reason, when the request was at fault: a daily limit, a wrong kind of file. */
  static async reasonOf(failure: Notice, response: unknown): Promise<UserFacingError> {
    if (!(response instanceof Response)) return new UserFacingError(failure)
    const { error: reason } = await refusalFields(response)
    // The server looks into the answers of an AI before the screen does.
    if (reason === popupNotices.answerUnreadable.title)
      return new UserFacingError(popupNotices.answerUnreadable)
    if (response.status >= 500 || typeof reason !== 'string') return new UserFacingError(failure)
    if (reason === '' || reason === failure.title) return new UserFacingError(failure)
    return new UserFacingError({ title: failure.title, description: reason.slice(0, 200) })
  }
}

/** Message of a failure; `otherwise` for one without a specific message. */
export function noticeOf(error: unknown, otherwise: Notice): Notice {
  return error instanceof UserFacingError ? error.notice : otherwise
}
