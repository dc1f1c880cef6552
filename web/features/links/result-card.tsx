import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Copy, List, QrCode, Share2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { readableUrl } from '#domain/readable-url.ts'
import { routes } from '#domain/routes.ts'
import { LocalAddressNote } from '#web/local-address-note.tsx'
import { shortLinkUrl, site } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Key } from '#web/ui/key.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { useShortcuts } from '#web/ui/use-shortcuts.ts'
import { useCopyLink } from './copy-link-button.tsx'
import { LazyQrPanel } from './lazy-qr-panel.tsx'
import { ShareItems } from './share-items.tsx'
import type { LinkRow } from '#web/database.ts'

export interface CreatedLink {
  link: LinkRow
  userId: string
  /** Whether it went to the clipboard. */
  copying: Promise<boolean>
}

/** The new short link, large, one key press away from the clipboard. */
export function ResultCard({ link, userId, copying }: CreatedLink) {
  const url = shortLinkUrl(link.short_code)
  const card = useRef<HTMLElement>(null)
  const [qrOpen, setQrOpen] = useState(false)
  const { copied, copyLink } = useCopyLink(url, copying)

  useEffect(() => {
    card.current?.focus({ preventScroll: true })
    card.current?.scrollIntoView({ block: 'nearest' })
  }, [link.id])

  useShortcuts({ c: copyLink })

  return (
    <section
      ref={card}
      tabIndex={-1}
      data-quiet-focus
      aria-label="Your short link"
      className="animate-appear scroll-mt-20 rounded-2xl border border-line bg-surface p-5 sm:p-7"
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="min-w-0 font-mono text-xl leading-tight font-medium tracking-tight wrap-anywhere decoration-accent decoration-2 underline-offset-8 hover:underline sm:text-3xl"
        >
          <span className="text-ink-faint">{site.host}/</span>
          <wbr />
          <span>{link.short_code}</span>
        </a>
        <Button look="accent" size="small" aria-keyshortcuts="c" onClick={copyLink}>
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
          {copied ? 'Copied' : 'Copy'}
          <Key className="max-sm:hidden pointer-coarse:hidden">C</Key>
        </Button>
        <output className="sr-only">{copied ? 'Copied' : ''}</output>
      </div>
      <p className="mt-3 truncate text-sm text-ink-faint">
        leads to {readableUrl(link.original_url)}
      </p>
      <LocalAddressNote className="mt-1" />
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button size="small" aria-expanded={qrOpen} onClick={() => setQrOpen(!qrOpen)}>
          <QrCode size={16} aria-hidden />
          {qrOpen ? 'Hide QR Code' : 'Show QR Code'}
        </Button>
        <Popover label="Share" icon={<Share2 size={17} aria-hidden />}>
          <ShareItems url={url} />
        </Popover>
        <Link
          to={routes.dashboard.path}
          state={{ createdLink: link.id }}
          className={buttonClass('quiet', 'small')}
        >
          <List size={16} aria-hidden />
          My Links
        </Link>
        <Link
          to={routes.link.path}
          params={{ code: link.short_code }}
          className={buttonClass('quiet', 'small')}
        >
          Edit, popup, bio page
          <ArrowRight size={16} aria-hidden />
        </Link>
      </div>
      {qrOpen ? (
        <div className="mt-6 border-t border-line pt-6">
          <LazyQrPanel shortCode={link.short_code} userId={userId} />
        </div>
      ) : null}
    </section>
  )
}
