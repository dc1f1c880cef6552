import { ExternalLink, QrCode } from 'lucide-react'
import { memo } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import type { ClickTrend } from '#domain/reports/report-answers.ts'
import type { LinkRow as Row } from '#web/api/database.ts'
import type { TagRow } from '#web/api/tags-query.ts'
import { TrendLine } from '#web/clicks/trend-line.tsx'
import { HopPrint } from '#web/hop-print.tsx'
import { linkWords } from '#web/link-name.tsx'
import { shownLink } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { IconButton, iconButtonClass } from '#web/ui/button.tsx'
import { CopyLinkButton } from '../share/copy-link-button.tsx'
import { linkMarksOf } from '../link-marks.ts'
import { LinkMenu } from './link-menu.tsx'
import { MadeOn, RowDestination, ShortAddress } from './row-address.tsx'
import { RowCount, RowRecent } from './row-figures.tsx'
import { isPhoneLayout, type RowLayout } from './row-layout.ts'
import { RowTags } from './row-tags.tsx'
import { RowTitle } from './row-title.tsx'

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
  /** Undefined while it is loading. */
  trend: ClickTrend | undefined
  /** For their colors. */
  tags: readonly TagRow[]
  isSelected: boolean
  /** Whether any row is selected: then rows of phones are checkboxes. */
  isSelecting: boolean
  /** It was made a moment ago. */
  isNew: boolean
  layout: RowLayout
  /** Low rows. */
  isDense: boolean
  actions: RowActions
}

/** Memoized: scrolling renders the list often, and its rows hardly ever change. */
export const LinkItem = memo(function LinkItem(props: LinkItemProps) {
  const { link, isSelected, isSelecting, isNew, layout, isDense, actions } = props
  const isPhone = isPhoneLayout(layout)
  const isChoice = isPhone && isSelecting
  return (
    <article
      aria-label={shownLink(codeOfLink(link))}
      data-new={isNew || undefined}
      data-off={link.is_disabled || undefined}
      className={
        'relative flex items-center gap-3 border-t border-line px-3 transition-colors duration-150 in-data-[index="0"]:border-t-transparent ' +
        'hover:bg-sunken/60 has-[[data-row-link]:focus-visible]:bg-sunken data-new:bg-accent-wash ' +
        `${rowClass(layout, isDense)} ${isSelected ? 'bg-sunken' : ''}`
      }
    >
      {isPhone && !isSelecting ? null : (
        <SelectMark {...{ link, isSelected, actions }} isWholeRow={isChoice} />
      )}
      {isChoice ? null : (
        <HopPrint
          code={link.short_code}
          width={isPhone ? 36 : 44}
          height={isDense ? 30 : 40}
          className={`shrink-0 ${link.is_disabled ? 'opacity-40' : ''}`}
        />
      )}
      {layout === 'columns' ? <RowColumns {...props} /> : <RowLines {...props} />}
    </article>
  )
})

function rowClass(layout: RowLayout, isDense: boolean): string {
  if (layout === 'narrow') return 'min-h-20 py-3'
  return isDense ? 'min-h-11 py-0.5' : 'min-h-15 py-2'
}

const dim = 'text-ink-faint'

/** Wide windows: two lines of text, and a column for each figure. */
function RowColumns(props: LinkItemProps) {
  const { link, canViewClicks, trend, tags, isDense, actions } = props
  const figures = { count: link.click_count, canViewClicks, trend }
  return (
    <>
      <div className={`grid min-w-0 grow ${link.is_disabled ? dim : ''}`}>
        <div className={`flex min-w-0 items-center gap-2 ${isDense ? '' : 'min-h-6'}`}>
          <RowTitle link={link} hasMarks />
          <RowTags names={link.tags} known={tags} areChips={!isDense} className="ml-auto" />
        </div>
        <div className={addressClass}>
          <ShortAddress code={codeOfLink(link)} isAlone={false} />
          <RowDestination url={link.original_url} />
        </div>
      </div>
      {canViewClicks === true ? (
        <div className="w-23 shrink-0">
          {trend === undefined ? null : <TrendLine trend={trend} />}
        </div>
      ) : null}
      <div className="grid min-w-37 shrink-0 justify-items-end">
        <RowCount {...figures} />
        <RowRecent {...figures} />
      </div>
      <MadeOn at={link.created_at} className="w-14 text-right text-xs text-ink-faint" />
      <div className="relative z-[1] -mr-1.5 flex items-center">
        <CopyLinkButton url={shortLinkUrl(codeOfLink(link))} hasBorder={!isDense} />
        <a
          href={shortLinkUrl(codeOfLink(link))}
          target="_blank"
          rel="noopener noreferrer"
          aria-label="Open in a new tab"
          title="Open in a new tab"
          className={iconButtonClass}
        >
          <ExternalLink size={17} aria-hidden />
        </a>
        <QrButton {...{ link, actions }} />
        <RowMenu {...{ link, actions }} />
      </div>
    </>
  )
}

/** Code from which on the clicks stand beside the title: its own line has no room for both. */
const longCode = 19

/** Narrow windows: the figures are at the ends of the lines, two lines or, below 480 px, three. */
function RowLines(props: LinkItemProps) {
  const { link, canViewClicks, trend, tags, isSelecting, layout, actions } = props
  const isPhone = isPhoneLayout(layout)
  const isNarrow = layout === 'narrow'
  const marks = isPhone ? linkMarksOf(link) : []
  const isCountAbove = !isNarrow || link.short_code.length >= longCode
  const figures = { count: link.click_count, canViewClicks, trend }
  const madeOn = <MadeOn at={link.created_at} className={isNarrow ? '' : 'w-12 text-right'} />
  return (
    <div className={`grid min-w-0 grow ${link.is_disabled ? dim : ''}`}>
      <div className="flex min-w-0 items-center gap-2">
        <RowTitle link={link} hasMarks={!isPhone} />
        <RowTags names={link.tags} known={tags} />
        <span className="ml-auto flex shrink-0">
          {isCountAbove ? <RowCount {...figures} /> : null}
        </span>
        {isPhone && isSelecting ? null : (
          <div className="relative z-[1] -my-2.5 -mr-2 flex items-center pointer-coarse:-my-3">
            <CopyLinkButton url={shortLinkUrl(codeOfLink(link))} hasBorder={false} />
            {isPhone ? null : (
              // On tablets the title needs its room; the menu has it too.
              <span className="max-lg:hidden">
                <QrButton {...{ link, actions }} />
              </span>
            )}
            <RowMenu {...{ link, actions }} />
          </div>
        )}
      </div>
      <div className={addressClass}>
        <ShortAddress code={codeOfLink(link)} isAlone={isNarrow} />
        {isNarrow ? null : <RowDestination url={link.original_url} />}
        {marks.length === 0 ? null : (
          <span className="min-w-0 truncate text-ink-soft">{marks.join(', ')}</span>
        )}
        <span className="ml-auto flex shrink-0 gap-2.5">
          {isCountAbove ? null : <RowCount {...figures} />}
          {isNarrow ? null : <RowRecent {...figures} />}
          {isNarrow ? null : madeOn}
        </span>
      </div>
      {isNarrow ? (
        <div className={addressClass}>
          {madeOn}
          <RowDestination url={link.original_url} />
          <RowRecent {...figures} />
        </div>
      ) : null}
    </div>
  )
}

const addressClass = 'flex min-w-0 items-baseline gap-x-1.5 text-xs text-ink-faint'

type RowControlProps = Pick<LinkItemProps, 'link' | 'actions'>

function QrButton({ link, actions }: RowControlProps) {
  return (
    <IconButton label="QR code" onClick={() => actions.showQrCode(link)}>
      <QrCode size={17} aria-hidden />
    </IconButton>
  )
}

function RowMenu({ link, actions }: RowControlProps) {
  return (
    <LinkMenu
      link={link}
      onActive={(isActive) => actions.setActive(link.id, isActive)}
      onArchive={(isArchived) => actions.archive(link, isArchived)}
      onEdit={() => actions.edit(link)}
      onQrCode={() => actions.showQrCode(link)}
      onSelect={() => actions.toggle(link)}
      onDelete={() => actions.remove(link)}
    />
  )
}

interface SelectMarkProps extends RowControlProps {
  isSelected: boolean
  /** A press anywhere on the row selects it. */
  isWholeRow: boolean
}

function SelectMark({ link, isSelected, isWholeRow, actions }: SelectMarkProps) {
  return (
    <label
      className={`z-[1] grid size-8 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11 ${isWholeRow ? '-mx-1.5 after:absolute after:inset-0' : 'relative'}`}
    >
      <input
        type="checkbox"
        aria-label={`Select ${linkWords({ code: codeOfLink(link), title: link.title })}`}
        aria-keyshortcuts="x"
        checked={isSelected}
        onChange={(event) => {
          const { nativeEvent } = event
          actions.toggle(link, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }}
        className="relative z-[1] size-5 accent-ink"
      />
    </label>
  )
}
