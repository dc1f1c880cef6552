import { useQuery } from '@tanstack/react-query'
import { ChartColumn, Check, Copy, Pencil, QrCode, Replace } from 'lucide-react'
import type { ReactNode } from 'react'
import { readableUrl } from '#domain/readable-url.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Key } from '#web/ui/key.tsx'
import { popoverItemClass } from '#web/ui/popover.tsx'
import { dayOf, momentOf } from '#web/ui/time-words.ts'
import { useShortcuts } from '#web/ui/use-shortcuts.ts'
import { useArchiveLinks } from './archive-links.ts'
import { useSetActive } from './change-link.ts'
import { useCopyLink } from './copy-link-button.tsx'
import { LinkMenu } from './link-menu.tsx'
import { LinkTitle } from './link-title.tsx'
import { showQrCode } from './link-qr-code.tsx'
import { TagChip } from './tags/tag-chip.tsx'
import { tagColorOf, tagsQuery } from './tags/tags-query.ts'
import type { LinkRow } from '#web/database.ts'

interface LinkHeroProps {
  link: LinkRow
  userId: string
  onEdit: () => void
  onShareReport: () => void
  onChangeCode: () => void
  onDelete: () => void
}

/** The short link with its main actions and its destination. */
export function LinkHero(props: LinkHeroProps) {
  const { link, userId, onEdit, onShareReport, onChangeCode, onDelete } = props
  const { copied, copyLink } = useCopyLink(shortLinkUrl(link.short_code))
  const setActive = useSetActive()
  const archiveLinks = useArchiveLinks()
  useShortcuts({ c: copyLink, e: onEdit, q: showQrCode })
  return (
    <>
      <TitleAndTags link={link} userId={userId} />
      <div className="mt-1 flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <LinkTitle code={link.short_code} />
        <div className="flex items-center gap-2">
          <Button size="small" look="accent" aria-keyshortcuts="c" onClick={copyLink}>
            {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
            {copied ? 'Copied' : 'Copy'}
            <HeroKey>C</HeroKey>
          </Button>
          <Button size="small" aria-keyshortcuts="q" onClick={showQrCode}>
            <QrCode size={16} aria-hidden />
            QR
            <HeroKey>Q</HeroKey>
          </Button>
          <Button size="small" aria-keyshortcuts="e" onClick={onEdit}>
            <Pencil size={16} aria-hidden />
            Edit
            <HeroKey>E</HeroKey>
          </Button>
          <LinkMenu
            shortCode={link.short_code}
            isActive={!link.is_disabled}
            onActive={(isActive) => setActive(link.id, isActive)}
            isArchived={link.archived_at !== null}
            onArchive={(isArchived) => archiveLinks([link.id], isArchived)}
            onDelete={onDelete}
          >
            <button type="button" className={popoverItemClass} onClick={onChangeCode}>
              <Replace size={17} aria-hidden />
              Change code
            </button>
            <button type="button" className={popoverItemClass} onClick={onShareReport}>
              <ChartColumn size={17} aria-hidden />
              Share report
            </button>
          </LinkMenu>
        </div>
      </div>
      <LinkFacts link={link} userId={userId} />
      {link.is_disabled ? (
        <div className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-ink-soft">
          <output>This link is off: visitors are told that it is no longer available.</output>
          <Button size="small" onClick={() => setActive(link.id, true)}>
            Switch on
          </Button>
        </div>
      ) : null}
      {link.is_blocked === true ? (
        <output className="mt-4 block rounded-xl border border-danger/40 bg-danger-wash px-4 py-3 text-sm text-danger">
          This link is blocked, and visitors are told so. If only the site it leads to is blocked
          here, another destination brings it back.
        </output>
      ) : null}
    </>
  )
}

function TitleAndTags({ link, userId }: Pick<LinkHeroProps, 'link' | 'userId'>) {
  const { data: known = [] } = useQuery({ ...tagsQuery(userId), enabled: link.tags.length > 0 })
  if (link.title === null && link.tags.length === 0) return null
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2">
      {link.title === null ? null : <p className="mr-1 font-medium wrap-anywhere">{link.title}</p>}
      {link.tags.map((name) => (
        <TagChip key={name} name={name} color={tagColorOf(known, name)} />
      ))}
    </div>
  )
}

function HeroKey({ children }: { children: string }) {
  return <Key className="max-rail:hidden pointer-coarse:hidden">{children}</Key>
}

function LinkFacts({ link, userId }: Pick<LinkHeroProps, 'link' | 'userId'>) {
  const { data: popups } = useQuery({
    ...popupChoicesQuery(userId),
    enabled: link.popup_id !== null,
  })
  const popup = popups?.find(({ id }) => id === link.popup_id)
  return (
    <dl className="mt-3 flex flex-wrap gap-x-2 gap-y-1 text-sm text-ink-soft">
      <Fact name="Destination">
        <span aria-hidden>→ </span>
        <a
          href={link.original_url}
          target="_blank"
          rel="noopener noreferrer"
          className="wrap-anywhere underline-offset-4 hover:text-ink hover:underline"
        >
          <span className="line-clamp-3">{readableUrl(link.original_url)}</span>
        </a>
      </Fact>
      <Fact name="Created">
        <Dot />
        <time dateTime={link.created_at} title={momentOf(link.created_at)}>
          made {dayOf(link.created_at)}
        </time>
      </Fact>
      <Fact name="Popup">
        <Dot />
        {link.show_popup
          ? popup === undefined
            ? 'popup on'
            : `popup “${popup.title}” on`
          : 'no popup'}
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-2">
      <dt className="sr-only">{name}</dt>
      <dd className="flex min-w-0 gap-2 wrap-anywhere">{children}</dd>
    </div>
  )
}

function Dot() {
  return (
    <span aria-hidden className="max-rail:hidden">
      ·
    </span>
  )
}
