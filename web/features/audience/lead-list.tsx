import type { LeadRow } from '#web/api/database.ts'
import { dayOf } from '#web/ui/time-words.ts'

interface LeadListProps {
  leads: readonly LeadRow[]
  titles: ReadonlyMap<string, string>
  selected: ReadonlySet<string>
  onSelect: (lead: LeadRow, isSelected: boolean) => void
}

const states = {
  pending: 'Not confirmed',
  confirmed: undefined,
  unsubscribed: 'Unsubscribed',
} as const

/** The surface that the list lies on, as in My Links. */
export const leadCardClass =
  'overflow-clip rounded-2xl border border-line bg-surface max-rail:-mx-4 max-rail:rounded-none max-rail:border-x-0'

/** One low row per address; rows out of sight cost no layout. */
export function LeadList({ leads, titles, selected, onSelect }: LeadListProps) {
  return (
    <ul aria-label="Addresses" className={`grid grid-cols-[minmax(0,1fr)] ${leadCardClass}`}>
      {leads.map((lead) => (
        <li
          key={lead.id}
          className={`flex min-h-16 min-w-0 items-center gap-3 border-t border-line px-3 py-2.5 transition-colors duration-150 [contain-intrinsic-size:auto_47px] [content-visibility:auto] first:border-t-transparent hover:bg-sunken/60 ${selected.has(lead.id) ? 'bg-sunken' : ''}`}
        >
          <label className="-mx-1.5 grid size-8 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11">
            <input
              type="checkbox"
              aria-label={`Select ${lead.email}`}
              checked={selected.has(lead.id)}
              onChange={(event) => onSelect(lead, event.target.checked)}
              className="size-5 accent-ink"
            />
          </label>
          <div className="grid min-w-0 grow gap-0.5">
            <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
              <bdi title={lead.email} className="line-clamp-2 min-w-0 font-medium wrap-anywhere">
                {lead.email}
              </bdi>
              {isKnown(lead.state) && states[lead.state] !== undefined ? (
                <span className="rounded-full bg-sunken px-2 text-xs leading-6 text-ink-soft">
                  {states[lead.state]}
                </span>
              ) : null}
              {lead.tags.map((tag) => (
                <bdi
                  key={tag}
                  className="max-w-40 truncate rounded-full border border-line px-2 text-xs leading-6 text-ink-soft"
                >
                  {tag}
                </bdi>
              ))}
            </p>
            <p className="truncate text-sm text-ink-faint">
              <bdi>{titles.get(lead.popup_id ?? '') ?? 'Deleted popup'}</bdi>
              {lead.code === null ? null : `, /${lead.code}`}
              {lead.source === null ? null : `, from ${lead.source}`}
            </p>
          </div>
          <time
            dateTime={lead.created_at}
            className="shrink-0 text-sm text-ink-soft tabular-nums max-sm:hidden"
          >
            {dayOf(lead.created_at)}
          </time>
        </li>
      ))}
    </ul>
  )
}

function isKnown(state: string): state is keyof typeof states {
  return Object.hasOwn(states, state)
}
