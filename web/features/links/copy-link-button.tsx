import { Check, Copy } from 'lucide-react'
import { notices } from '#domain/texts.ts'
import { IconButton } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { useCopy } from '#web/ui/use-copy.ts'

/** Copies a short link and says so, as a toast and, for two seconds, as a tick. */
export function useCopyLink(url: string): { copied: boolean; copyLink: () => void } {
  const { copied, copy } = useCopy()
  async function run() {
    if (await copy(url)) notifySuccess(notices.copied)
    else notifyError(notices.copyFailed)
  }
  return { copied, copyLink: () => void run() }
}

export function CopyLinkButton({ copied, onCopy }: { copied: boolean; onCopy: () => void }) {
  return (
    <IconButton label={copied ? 'Copied' : 'Copy link'} aria-keyshortcuts="c" onClick={onCopy}>
      {copied ? (
        <Check size={18} aria-hidden className="text-good" />
      ) : (
        <Copy size={18} aria-hidden />
      )}
    </IconButton>
  )
}

/** Whether a key press is the plain letter c, and not meant for a field or a shortcut of the browser. */
export function isCopyKey(event: {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  target: EventTarget | null
}): boolean {
  if (event.key.toLowerCase() !== 'c' || event.ctrlKey || event.metaKey || event.altKey)
    return false
  return !(
    event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
  )
}
