import { Link } from '@tanstack/react-router'
import { ChartColumn, Heading, Minus, Plus } from 'lucide-react'
import { isSkippedLink, linkAddress } from '#domain/bio/bio-form.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { TrendsById } from '#web/clicks/trends-query.ts'
import { TrendLine } from '#web/clicks/trend-line.tsx'
import { Button } from '#web/ui/button.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import type { LinkDraft } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import { LinkFields } from './link-fields.tsx'
import { RowHead } from './row-head.tsx'
import { SortableRows } from './sortable-rows.tsx'
import type { BioFields } from './use-bio-editor.ts'
import { useLinkRows } from './use-link-rows.ts'

interface LinksSectionProps {
  fields: BioFields
  /** The plan shows clicks; undefined while it is not known. */
  showsClicks: boolean | undefined
  trends: TrendsById
}

export function LinksSection({ fields, showsClicks, trends }: LinksSectionProps) {
  const { problems, unfolded } = fields
  const { links } = fields.draft
  const { section, changeRows, edit, add, addBelow, addPasted } = useLinkRows(fields)

  return (
    <EditorSection
      title="Links"
      hint="The top two are filled buttons."
      action={
        <Button size="small" onClick={() => add()}>
          <Plus size={17} aria-hidden />
          Add Link
        </Button>
      }
    >
      <div ref={section} className="grid grid-cols-[minmax(0,1fr)]">
        {links.length === 0 ? (
          <p className="text-sm text-ink-soft">No links added yet.</p>
        ) : (
          <SortableRows
            noun="link"
            rows={links}
            unfolded={unfolded}
            onChange={changeRows}
            nameOf={nameOf}
            head={(row) => <RowHead {...headOf(row)} icon={iconOf(row)} />}
            menu={(row) => <ToAnalytics row={row} />}
            aside={(row) => (
              <>
                <Trend of={row} trends={trends} />
                {showsClicks === true && row.kind === 'link' && row.clicks !== null ? (
                  <Clicks count={row.clicks} />
                ) : null}
                <Switch
                  label={`Show ${nameOf(row)}`}
                  hideLabel
                  checked={row.isVisible}
                  onChange={(isVisible) => edit(row.key, { isVisible })}
                />
              </>
            )}
          >
            {(row, index) => (
              <LinkFields
                row={row}
                path={`links.${index}`}
                problems={problems}
                onChange={(content) => edit(row.key, content)}
                onNext={() => addBelow(index)}
                onPasted={(pasted) => addPasted(index, pasted)}
              />
            )}
          </SortableRows>
        )}
      </div>
      {links.length === 0 ? null : (
        <div className="-mx-4 -mb-4 flex flex-wrap gap-1 border-t border-line p-2 sm:-mx-5 sm:-mb-5">
          <Button size="small" look="quiet" onClick={() => add()}>
            <Plus size={17} aria-hidden />
            Add another link
          </Button>
          <Button size="small" look="quiet" onClick={() => add('header')}>
            <Heading size={16} aria-hidden />
            Header
          </Button>
          <Button size="small" look="quiet" onClick={() => add('divider')}>
            <Minus size={16} aria-hidden />
            Divider
          </Button>
        </div>
      )}
      {showsClicks === false && links.some(({ id }) => id !== undefined) ? (
        <Allowed right="owner">
          <Link
            to={routes.upgrade.path}
            className="-mx-4 -mb-4 border-t border-line px-4 py-3 text-sm text-ink-soft underline underline-offset-4 sm:-mx-5 sm:-mb-5 sm:px-5"
          >
            Upgrade to view clicks
          </Link>
        </Allowed>
      ) : null}
    </EditorSection>
  )
}

function ToAnalytics({ row }: { row: LinkDraft }) {
  return row.id === undefined || row.kind !== 'link' ? null : (
    <li>
      <Link
        to={routes.analytics.path}
        search={{ scope: 'bio_link', id: row.id }}
        className={popoverItemClass}
      >
        <ChartColumn size={17} aria-hidden />
        Analytics
      </Link>
    </li>
  )
}

function Trend({ of: { id = '' }, trends }: { of: LinkDraft; trends: TrendsById }) {
  const trend = trends.get(id)
  return trend === undefined ? null : <TrendLine trend={trend} className="max-xl:hidden" />
}

function nameOf({ kind, title }: LinkDraft): string {
  if (kind === 'divider') return 'Divider'
  return title.trim() === '' ? `New ${kind}` : title.trim()
}

function iconOf({ kind, imageUrl }: LinkDraft) {
  if (kind === 'header')
    return <Heading size={18} aria-hidden className="shrink-0 text-ink-faint" />
  if (kind === 'divider') return <Minus size={18} aria-hidden className="shrink-0 text-ink-faint" />
  return imageUrl === null ? null : (
    <img
      src={imageUrl}
      alt=""
      width={32}
      height={32}
      className="shrink-0 rounded-lg object-cover"
    />
  )
}

function headOf(row: LinkDraft) {
  const state = row.isVisible ? timeStateOf(row) : 'Hidden'
  return {
    title: nameOf(row),
    note: isSkippedLink(row)
      ? 'Not on your page yet'
      : [state, contentOf(row)].filter((part) => part !== '').join(' · '),
    isFaint: nameOf(row) !== row.title.trim() || state !== '',
  }
}

function timeStateOf({ startsAt, endsAt }: LinkDraft): string {
  if (endsAt !== null && Date.parse(endsAt) <= Date.now()) return 'Ended'
  return startsAt !== null && Date.parse(startsAt) > Date.now() ? 'Scheduled' : ''
}

/** The host of a link; other entries have none. */
function contentOf({ kind, url }: LinkDraft): string {
  if (kind !== 'link') return kind === 'header' ? 'Header' : 'Line'
  const address = linkAddress(url)
  return address === null ? url.trim() : new URL(address).host
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

function Clicks({ count }: { count: number }) {
  return (
    <span
      title={`${count.toLocaleString('en-US')} clicks`}
      className="grid shrink-0 px-1 text-right text-sm tabular-nums"
    >
      {count < 10_000 ? count.toLocaleString('en-US') : compact.format(count)}
      <span className="text-xs text-ink-faint">{count === 1 ? 'click' : 'clicks'}</span>
    </span>
  )
}
