import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, Copy, Pencil, Trash2 } from 'lucide-react'
import { popupDraftOf } from '#domain/popup-form.ts'
import { routes } from '#domain/routes.ts'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import type { ClickTrend } from '#web/clicks/report.ts'
import { clicksOf, TrendLine } from '#web/clicks/trend-line.tsx'
import type { PopupRow, PopupUses } from '#web/database.ts'
import { Button, buttonClass, IconButton } from '#web/ui/button.tsx'
import { Switch } from '#web/ui/switch.tsx'
import { PopupThumbnail } from '#web/popup-picker/popup-thumbnail.tsx'
import { usesWords } from './uses-words.ts'

/** Actions on a popup of the list. */
export interface PopupActions {
  onSwitch: (popup: PopupRow, isActive: boolean) => void
  onUse: (popup: PopupRow) => void
  onResults: (popup: PopupRow) => void
  onDuplicate: (popup: PopupRow) => void
  onDelete: (popup: PopupRow, uses: PopupUses | undefined) => void
}

interface PopupCardProps extends PopupActions {
  popup: PopupRow
  marked: boolean
  /** Undefined until it is known. */
  uses: PopupUses | undefined
  /** Whether the plan and the screen have room for the clicks of the last 30 days. */
  showsTrend: boolean
  /** Undefined until it is known. */
  trend: ClickTrend | undefined
}

export function PopupCard({ popup, marked, uses, showsTrend, trend, ...on }: PopupCardProps) {
  const { title, is_active } = popup
  return (
    <article
      aria-label={title}
      className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr_auto] overflow-hidden rounded-2xl border border-line bg-surface"
    >
      <div className={`border-b border-line bg-sunken ${is_active ? '' : 'opacity-45 grayscale'}`}>
        <PopupThumbnail draft={popupDraftOf(popup)} marked={marked} height={208} />
      </div>
      <div className="px-4 pt-3">
        <div className="flex items-start justify-between gap-3">
          <h2 className="min-w-0 truncate pt-2 font-semibold" title={title}>
            {title}
          </h2>
          <Switch
            label={`Show ${title} to visitors`}
            hideLabel
            checked={is_active}
            onChange={(isActive) => on.onSwitch(popup, isActive)}
          />
        </div>
        <p className="line-clamp-2 text-sm leading-relaxed wrap-anywhere text-ink-soft">
          {popup.description}
        </p>
      </div>
      <div className="grid gap-2 px-4 pt-2 pb-3">
        {showsTrend ? <LastMonthLine trend={trend} collectsEmail={popup.collect_email} /> : null}
        <UsedBy uses={uses} isActive={is_active} onUse={() => on.onUse(popup)} title={title} />
        <div className="flex items-center justify-between gap-2">
          <div className="flex gap-1.5">
            <Swatch name="Background" color={popup.background_color} />
            <Swatch name="Button" color={popup.button_color} />
          </div>
          <div className="flex items-center">
            <Link
              to={routes.popupGenerator.path}
              search={{ edit: popup.id }}
              aria-label={`Edit ${title}`}
              className={buttonClass('plain', 'small')}
            >
              <Pencil size={15} aria-hidden />
              Edit
            </Link>
            <IconButton label={`Results of ${title}`} onClick={() => on.onResults(popup)}>
              <ChartNoAxesColumn size={17} aria-hidden />
            </IconButton>
            <IconButton label={`Duplicate ${title}`} onClick={() => on.onDuplicate(popup)}>
              <Copy size={17} aria-hidden />
            </IconButton>
            <IconButton label={`Delete ${title}`} onClick={() => on.onDelete(popup, uses)}>
              <Trash2 size={17} aria-hidden />
            </IconButton>
          </div>
        </div>
      </div>
    </article>
  )
}

/** Its place is there before it. */
interface LastMonthLineProps {
  trend: ClickTrend | undefined
  collectsEmail: boolean
}

function LastMonthLine({ trend, collectsEmail }: LastMonthLineProps) {
  return (
    <div className="flex h-8 items-center gap-2.5 text-sm text-ink-soft">
      {trend === undefined ? null : (
        <>
          <TrendLine trend={trend} />
          <span className="tabular-nums">{answersInMonth(clicksOf(trend), collectsEmail)}</span>
          <ChangeTag now={clicksOf(trend)} before={trend.before} than="the 30 days before" />
        </>
      )}
    </div>
  )
}

/** Where it asks for an email, clicks and emails count together. */
function answersInMonth(count: number, collectsEmail: boolean): string {
  const answers = collectsEmail ? 'answer' : 'click'
  return `${count.toLocaleString('en-US')} ${answers}${count === 1 ? '' : 's'} in 30 days`
}

interface UsedByProps {
  uses: PopupUses | undefined
  isActive: boolean
  title: string
  onUse: () => void
}

function UsedBy({ uses, isActive, title, onUse }: UsedByProps) {
  const used = uses && usesWords(uses)
  const words = uses === undefined ? '' : (used ?? 'Not used yet')
  return (
    <div className="flex min-h-9 items-center justify-between gap-3 text-sm text-ink-soft">
      <span className="min-w-0">
        {words}
        {isActive || used === undefined ? null : (
          <span className="block text-xs text-ink-faint">Off: visitors go straight on</span>
        )}
      </span>
      <Button
        size="small"
        look="quiet"
        aria-label={`Use it on…, ${title}`}
        onClick={onUse}
        className="-mr-3"
      >
        Use it on…
      </Button>
    </div>
  )
}

function Swatch({ name, color }: { name: string; color: string }) {
  return (
    <span
      title={`${name}: ${color}`}
      className="size-7 rounded-full border border-edge"
      style={{ background: color }}
    >
      <span className="sr-only">{`${name} color ${color}`}</span>
    </span>
  )
}
