import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Copy, List, QrCode, Share2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { routes } from '#domain/routes.ts'
import { LocalAddressNote } from '#web/local-address-note.tsx'
import { shownParts } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Key } from '#web/ui/key.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { useCopyLink } from '../share/copy-link-button.tsx'
import { LazyQrPanel } from '../qr/lazy-qr-panel.tsx'
import { LinkTag } from '../link-tag.tsx'
import { TagAddress } from '../tag-address.tsx'
import { ShareItems } from '../share/share-items.tsx'
import type { LinkRow } from '#web/api/database.ts'

export interface CreatedLink {
  link: LinkRow
  userId: string
  /** Whether it went to the clipboard. */
  copying: Promise<boolean>
}

/** The new short link, large, one key press away from the clipboard. */
export function ResultCard({ link, userId, copying }: CreatedLink) {
  const code = codeOfLink(link)
  const { host, name } = shownParts(code)
  const url = shortLinkUrl(code)
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
      className="animate-appear scroll-mt-20"
    >
      <LinkTag
        code={code}
        heading={
          link.title === null ? undefined : (
            <bdi className="min-w-0 font-medium wrap-anywhere">{link.title}</bdi>
          )
        }
        actions={
          <div className="flex flex-wrap items-center gap-2">
            <Button look="accent" size="small" aria-keyshortcuts="c" onClick={copyLink}>
              {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
              {copied ? 'Copied' : 'Copy'}
              <Key className="max-sm:hidden pointer-coarse:hidden">C</Key>
            </Button>
            <output className="sr-only">{copied ? 'Copied' : ''}</output>
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
            <Link to={routes.link.path} params={{ code }} className={buttonClass('quiet', 'small')}>
              Edit, popup, bio page
              <ArrowRight size={16} aria-hidden />
            </Link>
          </div>
        }
        stub={
          qrOpen ? <LazyQrPanel code={code} userId={userId} className="@lg:flex-col" /> : undefined
        }
      >
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="mt-2 block font-mono text-3xl font-medium tracking-[-0.03em] text-wrap wrap-anywhere decoration-accent decoration-2 underline-offset-8 hover:underline rail:text-4xl"
        >
          <TagAddress host={host} code={<span>{name}</span>} />
        </a>
        <p className="mt-2.5 truncate text-sm text-ink-soft">
          <span aria-hidden>→ </span>
          <span className="sr-only">Destination: </span>
          {readableUrl(link.original_url)}
        </p>
        <LocalAddressNote className="mt-1" />
      </LinkTag>
    </section>
  )
}
