import { Check, Copy } from 'lucide-react'
import { notices } from '#domain/texts/texts.ts'
import { IconButton } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useCopy } from '#web/ui/hooks/use-copy.ts'

/** Copies a short link and says so, as a toast and, for two seconds, as a tick. */
export function useCopyLink(
  url: string,
  copying?: Promise<boolean>,
): { copied: boolean; copyLink: () => void } {
  const { copied, copy } = useCopy(copying)
  async function run() {
    const pressed = pressedButton()
    // The first screen needs no motion, and without a network it does without.
    const motion = import('#web/ui/hop.ts').catch(() => undefined)
    if (!(await copy(url))) return notifyError(notices.copyFailed)
    ;(await motion)?.hopToToast(pressed)
    notifySuccess(notices.copied)
  }
  return { copied, copyLink: () => void run() }
}

/** The focused button, or that of the pressed key. */
function pressedButton(): Element | null {
  const { activeElement } = document
  return activeElement instanceof HTMLButtonElement
    ? activeElement
    : document.querySelector('main button[aria-keyshortcuts="c"]')
}

/** The button in a row; the list presses it for the key c. */
export function CopyLinkButton({ url, hasBorder }: { url: string; hasBorder: boolean }) {
  const { copied, copyLink } = useCopyLink(url)
  return (
    <IconButton
      label={copied ? 'Copied' : 'Copy link'}
      aria-keyshortcuts="c"
      data-copy
      className={hasBorder ? 'border border-line bg-surface' : ''}
      onClick={copyLink}
    >
      {copied ? (
        <Check size={18} aria-hidden className="text-good" />
      ) : (
        <Copy size={17} aria-hidden />
      )}
    </IconButton>
  )
}
