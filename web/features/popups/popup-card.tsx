import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, Copy, Ellipsis, Trash2 } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { popupDraftOf } from '#domain/popups/popup-form.ts'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { PopupRow, PopupUses } from '#web/api/database.ts'
import { Button, buttonClass, IconButton } from '#web/ui/button.tsx'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { PopupThumbnail } from '#web/popup-picker/popup-thumbnail.tsx'
import { popupReportQuery } from '#web/clicks/popup-report.ts'
import { useSeen } from '#web/ui/hooks/use-seen.ts'
import { usesWords } from './uses-words.ts'
import { emailWords, shownWords } from './results/result-words.ts'

/** Actions on a popup of the list. */
export interface PopupActions {
  onSwitch: (popup: PopupRow, isActive: boolean) => void
  onUse: (popup: PopupRow) => void
  onDuplicate: (popup: PopupRow) => void
  onDelete: (popup: PopupRow, uses: PopupUses | undefined) => void
}

interface PopupCardProps extends PopupActions {
  userId: string
  popup: PopupRow
  marked: boolean
  /** Undefined until it is known. */
  uses: PopupUses | undefined
  /** Whether the plan shows results. */
  showsFigures: boolean
}

export function PopupCard({ userId, popup, marked, uses, showsFigures, ...on }: PopupCardProps) {
  const { is_active } = popup
  const name = popupNameOf(popup)
  return (
    <article
      aria-label={name}
      className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr_auto] overflow-hidden rounded-2xl border border-line bg-surface"
    >
      <div className={`border-b border-line bg-sunken ${is_active ? '' : 'opacity-45 grayscale'}`}>
        <PopupThumbnail draft={popupDraftOf(popup)} marked={marked} height={152} />
      </div>
      <div className="px-4 pt-2">
        <div className="flex items-start justify-between gap-3">
          <h2 dir="auto" className="min-w-0 truncate pt-2 font-semibold" title={name}>
            {name}
          </h2>
          <Allowed right="popups:write">
            <Switch
              label={`Show ${name} to visitors`}
              hideLabel
              checked={is_active}
              onChange={(isActive) => on.onSwitch(popup, isActive)}
            />
          </Allowed>
        </div>
        <p dir="auto" className="line-clamp-2 text-sm leading-relaxed wrap-anywhere text-ink-soft">
          {popup.description}
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] px-4 pt-1 pb-3">
        <PopupFigures userId={userId} popup={popup} isShown={showsFigures} />
        <div className="flex min-h-9 items-center justify-between gap-3 text-sm text-ink-soft">
          <UsedBy uses={uses} isActive={is_active} />
          <div className="flex shrink-0 gap-1">
            <Swatch name="Background" color={popup.background_color} />
            <Swatch name="Button" color={popup.button_color} />
          </div>
        </div>
        <Allowed right="popups:write">
          <div className="mt-2 flex items-center gap-1.5">
            <Button
              size="small"
              aria-label={`Add to links: ${name}`}
              onClick={() => on.onUse(popup)}
              className="mr-auto"
            >
              Add to links
            </Button>
            <Link
              to={routes.popupGenerator.path}
              search={{ edit: popup.id }}
              aria-label={`Edit ${name}`}
              className={buttonClass('quiet', 'small')}
            >
              Edit
            </Link>
            <IconButton
              label={`Delete ${name}`}
              className="-mx-1"
              onClick={() => on.onDelete(popup, uses)}
            >
              <Trash2 size={17} aria-hidden />
            </IconButton>
            <Popover
              label={`More actions: ${name}`}
              icon={<Ellipsis size={18} aria-hidden />}
              className="w-48"
            >
              <Link
                to={routes.popupResults.path}
                params={{ id: popup.id }}
                className={popoverItemClass}
              >
                <ChartNoAxesColumn size={17} aria-hidden />
                Results
              </Link>
              <MenuItem Icon={Copy} name="Duplicate" onClick={() => on.onDuplicate(popup)} />
            </Popover>
          </div>
        </Allowed>
      </div>
    </article>
  )
}

function UsedBy({ uses, isActive }: { uses: PopupUses | undefined; isActive: boolean }) {
  const used = uses && usesWords(uses)
  return (
    <span className="min-w-0">
      {uses === undefined ? '' : (used ?? 'Not used yet')}
      {isActive || used === undefined ? null : (
        <span className="block text-xs text-ink-faint">Off: visitors go straight on</span>
      )}
    </span>
  )
}

function Swatch({ name, color }: { name: string; color: string }) {
  return (
    <span
      title={`${name}: ${color}`}
      className="size-5 rounded-full border border-edge"
      style={{ background: color }}
    >
      <span className="sr-only">{`${name} color ${color}`}</span>
    </span>
  )
}

interface PopupFiguresProps {
  userId: string
  popup: PopupRow
  /** Whether the plan shows results. */
  isShown: boolean
}

/** The results of the last 30 days in two lines, with a link to all of them. They load when the card is near the window. */
function PopupFigures({ userId, popup, isShown }: PopupFiguresProps) {
  const line = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(line)
  const report = useQuery({
    ...popupReportQuery(userId, popup.id, 30),
    enabled: isShown && isSeen,
    staleTime: 60_000,
  }).data
  return (
    <div ref={line} className="h-12 min-w-0 text-sm">
      <Link
        to={routes.popupResults.path}
        params={{ id: popup.id }}
        className="group grid h-full content-center tabular-nums"
      >
        <span className="min-w-0 truncate font-medium underline-offset-4 group-hover:underline">
          {report === undefined ? 'Results' : shownWords(report)}
          <span className="sr-only">{` of ${popupNameOf(popup)}`}</span>
        </span>
        {report === undefined ? null : (
          <span className="min-w-0 truncate text-xs text-ink-faint">
            {[...emailWords(report, popup.collect_email), '30 days'].join(' · ')}
          </span>
        )}
      </Link>
    </div>
  )
}
