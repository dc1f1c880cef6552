import { type Notice, notices } from '#domain/texts/texts.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useCopy } from '#web/ui/hooks/use-copy.ts'

/** Copies a text and says whether it worked; `copied` stays true for two seconds. */
export function useCopyWithNotice(done: Notice): {
  copied: boolean
  copy: (text: string) => void
} {
  const { copied, copy } = useCopy()

  async function copyAndTell(text: string) {
    if (await copy(text)) notifySuccess(done)
    else notifyError(notices.copyFailed)
  }

  return { copied, copy: (text) => void copyAndTell(text) }
}
