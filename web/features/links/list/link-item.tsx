import { Link } from '@tanstack/react-router'
import { AppWindow, ExternalLink, QrCode } from 'lucide-react'
import { memo } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import { routes } from '#domain/routes.ts'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import type { ClickTrend } from '#domain/reports/report-answers.ts'
import { clicksOf, TrendLine } from '#web/clicks/trend-line.tsx'
import { shortLinkUrl, site } from '#web/site.ts'
import { IconButton, iconButtonClass } from '#web/ui/button.tsx'
import { HopPrint } from '#web/hop-print.tsx'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'
import { CopyLinkButton } from '../share/copy-link-button.tsx'
import { RowClicks } from '../link-clicks.tsx'
import { linkMarksOf } from '../link-marks.ts'
import { LinkMenu } from './link-menu.tsx'
import { RowTags } from './row-tags.tsx'
import type { TagRow } from '#web/api/tags-query.ts'
import type { LinkRow as Row } from '#web/api/database.ts'

/** Actions of the rows of the list, the same functions in each render. */
export interface RowActions {
  edit: (link: Row) => void
  remove: (link: Row) => void
  showQrCode: (link: Row) => void
  setActive: (id: string, isActive: boolean) => void
  archive: (link: Row, isArchived: boolean) => void
  /** With `isRange`: all rows from the one that was chosen last. */
  toggle: (link: Row, isRange?: boolean) => void
}

interface LinkItemProps {
  link: Row
  /** Undefined while the plan is not known yet. */
  canViewClicks: boolean | undefined
  /** Undefined while loading, and on narrow screens. */
  trend: ClickTrend | undefined
  /** For their colors. */
  tags: readonly TagRow[]
  isSelected: boolean
  /** Whether any row is selected: then phones show the checkboxes. */
  isSelecting: boolean
  /** It was made a moment ago. */
  isNew: boolean
  /** Phones have room for less, and time for less. */
  isPhone: boolean
  /** Beside the title is room for its marks; elsewhere they stand below it. */
  isWide: boolean
  /** Rows of one line. */
  isDense: boolean
  actions: RowActions
}

/** Memoized: scrolling renders the list often, and its rows hardly ever change. */
export const LinkItem = memo(function LinkItem(props: LinkItemProps) {
  const { link, canViewClicks, trend, tags, isSelected, isSelecting, isNew } = props
  const { isPhone, isWide, isDense, actions } = props
  const url = shortLinkUrl(link.short_code)
  const marks = linkMarksOf(link)
  return (
    <article
      aria-label={`${site.host}/${link.short_code}`}
      data-new={isNew || undefined}
      className={
        'relative flex items-center gap-3 border-t border-line px-3 transition-colors duration-150 in-data-[index="0"]:border-t-transparent ' +
        'hover:bg-sunken/60 has-[[data-row-link]:focus-visible]:bg-sunken data-new:bg-accent-wash ' +
        `${isDense ? 'min-h-11' : 'min-h-15 max-xl:py-2'} ${isSelected ? 'bg-sunken' : ''}`
      }
    >
      {isPhone && !isSelecting ? null : <SelectMark {...{ link, isSelected, actions }} />}
      <HopPrint
        code={link.short_code}
        height={isDense ? 30 : 40}
        className={`shrink-0 ${link.is_disabled ? 'opacity-40' : ''}`}
      />
      <div
        className={`grid min-w-0 grow ${isDense ? 'grid-cols-[minmax(0,auto)_minmax(0,1fr)] items-baseline gap-x-3' : ''} ${link.is_disabled ? 'text-ink-faint' : ''}`}
      >
        <p className="flex min-w-0 items-center gap-2">
          <RowLink link={link} />
          {link.show_popup ? <PopupMark /> : null}
          {link.is_blocked === true ? <BlockedMark /> : null}
          {link.is_disabled ? <OptionMark text="off" /> : null}
          {isWide ? marks.map((text) => <OptionMark key={text} text={text} />) : null}
          {isPhone ? <RowTags names={link.tags} known={tags} isPhone /> : null}
        </p>
        <p
          className={`flex min-w-0 gap-x-1.5 overflow-hidden text-xs whitespace-nowrap text-ink-faint ${isDense ? '' : 'max-xl:flex-wrap'}`}
        >
          <RowAddress link={link} isPhone={isPhone} />
          {isWide
            ? null
            : marks.map((text) => (
                <span key={text} className="shrink-0 text-ink-soft">
                  {text}
                </span>
              ))}
        </p>
      </div>
      {isPhone ? null : <RowTags names={link.tags} known={tags} isPhone={false} />}
      {canViewClicks === true ? (
        <div className="w-23 shrink-0 max-lg:hidden">
          {trend === undefined ? null : <TrendLine trend={trend} />}
        </div>
      ) : null}
      <div className="grid min-w-10 shrink-0 justify-items-end rail:min-w-21">
        <RowClicks count={link.click_count} canViewClicks={canViewClicks} />
        {trend === undefined || isDense ? null : (
          <ChangeTag now={clicksOf(trend)} before={trend.before} than="the 30 days before" />
        )}
      </div>
      {isPhone ? null : (
        <MadeOn at={link.created_at} className="w-16 text-right text-xs text-ink-faint" />
      )}
      <div className="relative z-[1] -mr-1.5 flex items-center max-rail:-mr-2">
        <CopyLinkButton url={url} />
        {isPhone ? null : (
          <>
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              aria-label="Open in a new tab"
              title="Open in a new tab"
              className={`${iconButtonClass} max-lg:hidden`}
            >
              <ExternalLink size={17} aria-hidden />
            </a>
            <IconButton label="QR code" onClick={() => actions.showQrCode(link)}>
              <QrCode size={17} aria-hidden />
            </IconButton>
          </>
        )}
        <LinkMenu
          link={link}
          onActive={(isActive) => actions.setActive(link.id, isActive)}
          onArchive={(isArchived) => actions.archive(link, isArchived)}
          onEdit={() => actions.edit(link)}
          onQrCode={() => actions.showQrCode(link)}
          onSelect={() => actions.toggle(link)}
          onDelete={() => actions.remove(link)}
        />
      </div>
    </article>
  )
})

/** The title of a link, or the host of its destination without one. The whole row is its target. */
function RowLink({ link }: { link: Row }) {
  const title = link.title ?? hostOf(link.original_url)
  return (
    <Link
      to={routes.link.path}
      params={{ code: link.short_code }}
      aria-label={`${title}, ${site.host}/${link.short_code}`}
      data-row-link
      aria-keyshortcuts="c e x"
      className="truncate text-[0.9375rem] leading-5 font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-[var(--focus)]"
    >
      <bdi>{title}</bdi>
    </Link>
  )
}

function hostOf(url: string): string {
  return readableUrl(url)
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/[/?#].*$/s, '')
}

/** The short link and its destination; on phones, with the day that it was made between them. */
function RowAddress({ link, isPhone }: { link: Row; isPhone: boolean }) {
  const [, scheme, address] = /^(https?:\/\/)?(.*)$/s.exec(readableUrl(link.original_url)) ?? []
  return (
    <>
      <span className="max-w-full min-w-0 font-mono text-ink-soft max-xl:basis-full max-rail:wrap-break-word max-rail:whitespace-normal rail:flex xl:shrink-0">
        <span className="min-w-0 text-ink-faint rail:truncate">{site.host}/</span>
        <wbr />
        <span className="max-w-full shrink-0 rail:truncate">{link.short_code}</span>
      </span>
      {isPhone ? <MadeOn at={link.created_at} /> : null}
      <span className="flex min-w-0 grow basis-0 gap-x-1.5">
        <span aria-hidden>→</span>
        <span className="truncate" title={link.original_url}>
          <span className="sr-only">{scheme}</span>
          {address}
        </span>
      </span>
    </>
  )
}

function OptionMark({ text }: { text: string }) {
  return (
    <span className="shrink-0 rounded-full bg-sunken px-2 text-xs leading-5 text-ink-soft">
      {text}
    </span>
  )
}

function MadeOn({ at, className = '' }: { at: string; className?: string }) {
  return (
    <time
      dateTime={at}
      title={momentOf(at)}
      className={`shrink-0 whitespace-nowrap tabular-nums ${className}`}
    >
      {shortMoment(at)}
    </time>
  )
}

function PopupMark() {
  return (
    <span
      title="popup"
      className="shrink-0 rounded-full text-xs text-ink-soft lg:border lg:border-line lg:px-2 lg:leading-5"
    >
      <AppWindow size={14} aria-hidden className="lg:hidden" />
      <span className="max-lg:sr-only">popup</span>
    </span>
  )
}

function BlockedMark() {
  return (
    <span className="shrink-0 rounded-full bg-danger-wash px-2 text-xs leading-5 text-danger">
      blocked
    </span>
  )
}

type SelectMarkProps = Pick<LinkItemProps, 'link' | 'isSelected' | 'actions'>

function SelectMark({ link, isSelected, actions }: SelectMarkProps) {
  return (
    <label className="relative z-[1] grid size-8 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11">
      <input
        type="checkbox"
        aria-label={`Select ${link.short_code}`}
        aria-keyshortcuts="x"
        checked={isSelected}
        onChange={(event) => {
          const { nativeEvent } = event
          actions.toggle(link, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }}
        className="size-5 accent-ink"
      />
    </label>
  )
}
