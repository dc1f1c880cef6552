import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ChartColumn, Check, Copy, Pencil, QrCode, Replace, Share2 } from 'lucide-react'
import { useState } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { useRights } from '#web/session/space/rights.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Key } from '#web/ui/key.tsx'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import { dayOf, momentOf } from '#web/ui/time-words.ts'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { useArchiveLinks } from '../archive-links.ts'
import { useSetActive } from '../change-link.ts'
import { useCopyLink } from '../share/copy-link-button.tsx'
import { LinkMenu } from '../list/link-menu.tsx'
import { LinkTag } from '../link-tag.tsx'
import { LinkTitle } from './link-title.tsx'
import { QrDialog } from '../qr/qr-dialog.tsx'
import { ShareItems } from '../share/share-items.tsx'
import { TagChip } from '#web/tags/tag-chip.tsx'
import { TagLinksDialog } from '../tags/tag-links-dialog.tsx'
import { tagColorOf, tagsQuery } from '#web/api/tags-query.ts'
import { TitleField } from './title-field.tsx'
import { usePrintIcon } from './use-print-icon.ts'
import type { LinkRow } from '#web/api/database.ts'

interface LinkHeroProps {
  link: LinkRow
  userId: string
  onEdit: () => void
  onShareReport: () => void
  onChangeCode: () => void
  onDelete: () => void
}

const loadStub = async () => (await import('./link-stub.tsx')).LinkStub
/** The address of the page with #qr opens the QR code. */
const qrHash = 'qr'

/** The tag of a link: title, code, destination, main actions and QR code. */
export function LinkHero({ link, userId, ...actions }: LinkHeroProps) {
  const isAskedFor = useLocation().hash === qrHash
  const [isQrOpen, setQrOpen] = useState(isAskedFor)
  const { Part: Stub } = useLazyPart(true, loadStub)
  const openQrCode = () => setQrOpen(true)
  usePrintIcon(link.short_code)
  const code = codeOfLink(link)
  return (
    <>
      <LinkTag
        code={code}
        heading={<TitleAndTags link={link} userId={userId} />}
        actions={<HeroActions {...{ link, userId, ...actions }} onQrCode={openQrCode} />}
        hasWideStub
        stub={
          Stub === undefined ? (
            <div aria-hidden className="h-47 w-37 animate-pulse rounded-xl bg-sunken" />
          ) : (
            <Stub code={code} userId={userId} onOpen={openQrCode} />
          )
        }
      >
        <LinkTitle code={code} />
        <LinkFacts link={link} />
      </LinkTag>
      <LinkState link={link} />
      <QrDialog
        code={isQrOpen ? code : undefined}
        userId={userId}
        onClose={() => setQrOpen(false)}
      />
    </>
  )
}

interface HeroActionsProps extends LinkHeroProps {
  onQrCode: () => void
}

function HeroActions(props: HeroActionsProps) {
  const { link, onEdit, onShareReport, onChangeCode, onDelete, onQrCode } = props
  const url = shortLinkUrl(codeOfLink(link))
  const { copied, copyLink } = useCopyLink(url)
  const setActive = useSetActive()
  const archiveLinks = useArchiveLinks()
  const may = useRights()
  const mayWrite = may('links:write')
  useShortcuts({ c: copyLink, q: onQrCode, ...(mayWrite && { e: onEdit }) })
  return (
    <div className="flex items-center gap-2">
      <Button
        size="small"
        look="accent"
        aria-keyshortcuts="c"
        onClick={copyLink}
        className="@max-lg:grow"
      >
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        {copied ? 'Copied' : 'Copy'}
        <HeroKey>C</HeroKey>
      </Button>
      <Popover
        label="Share"
        icon={
          <>
            <Share2 size={16} aria-hidden />
            <span className="@max-lg:sr-only">Share</span>
          </>
        }
        buttonClass={buttonClass('plain', 'small')}
      >
        <ShareItems url={url} />
      </Popover>
      <Button size="small" aria-label="QR code" className="@lg:hidden" onClick={onQrCode}>
        <QrCode size={16} aria-hidden />
      </Button>
      {mayWrite ? (
        <Button size="small" aria-keyshortcuts="e" onClick={onEdit}>
          <Pencil size={16} aria-hidden />
          <span className="@max-lg:sr-only">Edit</span>
          <HeroKey>E</HeroKey>
        </Button>
      ) : null}
      <LinkMenu
        link={link}
        onActive={(isActive) => setActive(link.id, isActive)}
        onArchive={(isArchived) => archiveLinks([link.id], isArchived)}
        onDelete={onDelete}
        isShared
      >
        {mayWrite ? <MenuItem Icon={Replace} name="Change code" onClick={onChangeCode} /> : null}
        {may('owner') ? (
          <MenuItem Icon={ChartColumn} name="Share report" onClick={onShareReport} />
        ) : null}
      </LinkMenu>
    </div>
  )
}

/** Said where visitors do not reach the destination. */
function LinkState({ link }: Pick<LinkHeroProps, 'link'>) {
  const setActive = useSetActive()
  return (
    <>
      {link.is_disabled ? (
        <div className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-ink-soft">
          <output>This link is off.</output>
          <Allowed right="links:write">
            <Button size="small" onClick={() => setActive(link.id, true)}>
              Turn on
            </Button>
          </Allowed>
        </div>
      ) : null}
      {link.is_blocked === true ? (
        <output className="mt-4 block rounded-xl border border-danger/40 bg-danger-wash px-4 py-3 text-sm text-danger">
          This link is blocked. If only its destination is blocked, change it to restore the link.
        </output>
      ) : null}
    </>
  )
}

const maxTags = 5

function TitleAndTags({ link, userId }: Pick<LinkHeroProps, 'link' | 'userId'>) {
  const { data: known = [] } = useQuery({ ...tagsQuery(userId), enabled: link.tags.length > 0 })
  const [isTagging, setTagging] = useState(false)
  const others = link.tags.slice(maxTags)
  return (
    <>
      <TitleField link={link} />
      <span className="flex min-w-0 flex-wrap items-center gap-1.5">
        {link.tags.slice(0, maxTags).map((name) => (
          <TagChip key={name} name={name} color={tagColorOf(known, name)} />
        ))}
        {others.length === 0 ? null : (
          <span className="text-xs text-ink-faint" title={others.join(', ')}>
            +{others.length}
          </span>
        )}
        <Allowed right="links:write">
          <button
            type="button"
            onClick={() => setTagging(true)}
            className="inline-flex min-h-6 items-center rounded-full border border-dashed border-edge px-2 text-xs text-ink-soft hover:border-ink hover:text-ink pointer-coarse:min-h-9"
          >
            + tag
          </button>
        </Allowed>
      </span>
      <TagLinksDialog
        userId={userId}
        links={isTagging ? [link] : noLinks}
        onClose={() => setTagging(false)}
      />
    </>
  )
}

const noLinks: readonly LinkRow[] = []

function HeroKey({ children }: { children: string }) {
  return <Key className="max-rail:hidden pointer-coarse:hidden">{children}</Key>
}

function LinkFacts({ link }: Pick<LinkHeroProps, 'link'>) {
  return (
    <p className="mt-2.5 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      <span className="flex min-w-0 gap-1.5">
        <span aria-hidden>→</span>
        <a
          href={link.original_url}
          target="_blank"
          rel="noopener noreferrer"
          className="wrap-anywhere text-ink underline-offset-4 hover:underline"
        >
          <span className="sr-only">Destination: </span>
          <span className="line-clamp-2">{readableUrl(link.original_url)}</span>
        </a>
      </span>
      <span className="whitespace-nowrap text-ink-faint">
        <time dateTime={link.created_at} title={momentOf(link.created_at)}>
          Created {dayOf(link.created_at)}
        </time>
      </span>
      {link.former_url === null ? null : (
        <span className="wrap-anywhere text-ink-faint">
          {link.clicks_before === null
            ? `Was ${link.former_url}`
            : `Was ${link.former_url}, ${link.clicks_before.toLocaleString('en-US')} clicks there`}
        </span>
      )}
    </p>
  )
}
