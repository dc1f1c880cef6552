import { QrCode } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { connectionTexts } from '#domain/account-texts.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'
import { CopyLinkButton, isCopyKey, useCopyLink } from './copy-link-button.tsx'
import type { LinkRow } from '#web/database.ts'

const loadQrPanel = async () => (await import('./qr-panel.tsx')).QrPanel

/** The new short link, large, one key press away from the clipboard. */
export function ResultCard({ link, userId }: { link: LinkRow; userId: string }) {
  const url = shortLinkUrl(link.short_code)
  const card = useRef<HTMLElement>(null)
  const [qrOpen, setQrOpen] = useState(false)
  const { Part: QrPanel, hasFailed, retry } = useLazyPart(qrOpen, loadQrPanel)
  const { copied, copyLink } = useCopyLink(url)

  useEffect(() => {
    card.current?.focus({ preventScroll: true })
    card.current?.scrollIntoView({ block: 'nearest' })
  }, [link.id])

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (isCopyKey(event) && !event.repeat) copyLink()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })

  return (
    <section
      ref={card}
      tabIndex={-1}
      data-quiet-focus
      aria-label="Your short link"
      className="animate-appear scroll-mt-20 rounded-[1.75rem] border border-line bg-surface p-5 sm:p-7"
    >
      <div className="flex items-center gap-2">
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="min-w-0 grow font-mono text-[1.375rem] leading-tight font-medium tracking-tight wrap-anywhere decoration-accent decoration-2 underline-offset-8 hover:underline sm:text-4xl"
        >
          <span className="text-ink-faint">{site.host}/</span>
          <wbr />
          <span>{link.short_code}</span>
        </a>
        <CopyLinkButton copied={copied} onCopy={copyLink} />
      </div>
      <p className="mt-3 truncate text-sm text-ink-faint">leads to {link.original_url}</p>
      <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-3">
        <Button size="small" aria-expanded={qrOpen} onClick={() => setQrOpen(!qrOpen)}>
          <QrCode size={16} aria-hidden />
          {qrOpen ? 'Hide QR Code' : 'Show QR Code'}
        </Button>
        <p className="hidden text-sm text-ink-faint sm:block">
          Press{' '}
          <kbd className="rounded-md border border-line px-1.5 py-0.5 font-mono text-xs">C</kbd> to
          copy
        </p>
      </div>
      {qrOpen ? (
        QrPanel !== undefined ? (
          <QrPanel url={url} shortCode={link.short_code} userId={userId} />
        ) : hasFailed ? (
          <p
            role="alert"
            className="mt-6 flex flex-wrap items-center gap-4 border-t border-line pt-6"
          >
            {connectionTexts.partFailed}
            <Button size="small" onClick={retry}>
              Try Again
            </Button>
          </p>
        ) : (
          <Loading label="Drawing the QR code" />
        )
      ) : null}
    </section>
  )
}
