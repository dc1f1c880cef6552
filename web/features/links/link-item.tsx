import { Link } from '@tanstack/react-router'
import { CornerDownRight, ExternalLink, Pencil, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { readableUrl } from '#domain/readable-url.ts'
import { routes } from '#domain/routes.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { IconButton, iconButtonClass } from '#web/ui/button.tsx'
import { CopyLinkButton, isCopyKey, useCopyLink } from './copy-link-button.tsx'
import type { LinkRow as Row } from '#web/database.ts'
import { ShareMenu } from './share-menu.tsx'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const count = new Intl.NumberFormat()

const clicksOffer = 'Upgrade to view clicks'

interface LinkItemProps {
  link: Row
  /** Undefined while the plan is not known yet. */
  canViewClicks: boolean | undefined
  onEdit: (link: Row) => void
  onDelete: (link: Row) => void
}

/** Memoized: scrolling renders the list often, and its rows hardly ever change. */
export const LinkItem = memo(function LinkItem({
  link,
  canViewClicks,
  onEdit,
  onDelete,
}: LinkItemProps) {
  const url = shortLinkUrl(link.short_code)
  const { copied, copyLink } = useCopyLink(url)
  const created = new Date(link.created_at)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hears keys from its own links and buttons
    <article
      aria-label={`${site.host}/${link.short_code}`}
      onKeyDown={(event) => {
        if (isCopyKey(event) && !event.repeat) copyLink()
      }}
      className="grid gap-x-6 gap-y-2 border-b border-line py-5 md:grid-cols-[minmax(0,1fr)_auto] md:items-center"
    >
      <div className="min-w-0">
        <div className="flex min-w-0 items-center">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            aria-keyshortcuts="c"
            className="mr-1 min-w-0 truncate rounded-md font-mono text-lg font-medium tracking-tight decoration-accent decoration-2 underline-offset-4 hover:underline"
          >
            <span className="text-ink-faint">{site.host}/</span>
            <span>{link.short_code}</span>
          </a>
          <CopyLinkButton copied={copied} onCopy={copyLink} />
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            aria-label="Open in a new tab"
            title="Open in a new tab"
            className={iconButtonClass}
          >
            <ExternalLink size={17} aria-hidden />
          </a>
        </div>
        <p className="flex min-w-0 items-center gap-2 text-[15px] text-ink-soft">
          <CornerDownRight size={15} aria-hidden className="shrink-0 text-ink-faint" />
          <span className="truncate" title={link.original_url}>
            {readableUrl(link.original_url)}
          </span>
        </p>
      </div>
      <div className="flex items-center justify-between gap-2 md:justify-end md:gap-5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <Clicks link={link} canViewClicks={canViewClicks} />
          <time
            dateTime={link.created_at}
            title={instant.format(created)}
            className="whitespace-nowrap text-ink-faint tabular-nums"
          >
            {day.format(created)}
          </time>
        </div>
        <div className="-mr-2.5 flex">
          <ShareMenu url={url} />
          <IconButton label="Edit" onClick={() => onEdit(link)}>
            <Pencil size={17} aria-hidden />
          </IconButton>
          <IconButton label="Delete" onClick={() => onDelete(link)} className="hover:text-danger">
            <Trash2 size={17} aria-hidden />
          </IconButton>
        </div>
      </div>
    </article>
  )
})

function Clicks({ link, canViewClicks }: Pick<LinkItemProps, 'link' | 'canViewClicks'>) {
  // The room that the answer takes for most people, so that the row does not move.
  if (canViewClicks === undefined)
    return (
      <span aria-hidden className="invisible border px-3 py-1.5 whitespace-nowrap">
        {clicksOffer}
      </span>
    )
  // The server masks the count when the plan doesn't show it, whatever this screen believes.
  if (!canViewClicks || link.click_count === null) {
    return (
      <Link
        to={routes.upgrade.path}
        className="whitespace-nowrap rounded-full border border-line px-3 py-1.5 font-medium text-accent-text transition-colors duration-150 hover:border-edge"
      >
        {clicksOffer}
      </Link>
    )
  }
  return (
    <span className="whitespace-nowrap">
      <span className="font-mono text-base font-medium tabular-nums">
        {count.format(link.click_count)}
      </span>{' '}
      <span className="text-ink-faint">{link.click_count === 1 ? 'click' : 'clicks'}</span>
    </span>
  )
}
