import { Ellipsis, type LucideIcon, X } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { low, phone, useMedia } from './hooks/use-media.ts'
import { MenuItem } from './menus/menu-item.tsx'
import { Popover } from './menus/popover.tsx'

export interface SelectionAction {
  name: string
  /** Name on phones; it is a part of `name`. */
  shortName?: string
  Icon: LucideIcon
  /** On phones it is behind More. */
  isRare?: boolean
  run: () => void
}

interface SelectionBarProps {
  /** Name of the bar: 'Selected links'. */
  label: string
  count: number
  /** How many rows could be selected. */
  loaded: number
  onSelectAll: () => void
  actions: readonly SelectionAction[]
  onClear: () => void
}

/** Actions on the selected rows of a list. On phones the tab bar makes room for them, and the title for their number. */
export function SelectionBar(props: SelectionBarProps) {
  const bar = useRef<HTMLElement>(null)
  const isPhone = useMedia(phone)
  const isLow = useMedia(low)
  // The pressed button leaves.
  const onSelectAll = () => {
    props.onSelectAll()
    bar.current?.focus()
  }
  const Bar = isPhone && !isLow ? PhoneBar : WideBar
  return <Bar {...props} bar={bar} onSelectAll={onSelectAll} />
}

interface BarProps extends SelectionBarProps {
  bar: RefObject<HTMLElement | null>
}

function WideBar({ bar, label, count, loaded, onSelectAll, actions, onClear }: BarProps) {
  return (
    <section
      ref={bar}
      tabIndex={-1}
      data-quiet-focus
      aria-label={label}
      data-bottom-bar
      className="sticky bottom-4 z-[5] mx-auto mt-4 flex w-fit max-w-full animate-appear flex-wrap items-center justify-center rounded-2xl bg-ink p-1.5 text-paper shadow-lift low:static"
    >
      <output className="px-2.5 text-sm font-medium whitespace-nowrap tabular-nums">
        {count} selected
      </output>
      {count < loaded ? (
        <button type="button" onClick={onSelectAll} className={barClass}>
          Select all {loaded}
        </button>
      ) : null}
      {actions.map(({ name, Icon, run }) => (
        <button key={name} type="button" title={name} onClick={run} className={barClass}>
          <Icon size={17} aria-hidden />
          <span className="max-xl:sr-only">{name}</span>
        </button>
      ))}
      <button type="button" aria-label="Clear" title="Clear" onClick={onClear} className={barClass}>
        <X size={17} aria-hidden />
      </button>
    </section>
  )
}

const barClass =
  'flex h-9 items-center gap-2 rounded-xl px-2.5 text-sm whitespace-nowrap transition-colors duration-150 hover:bg-paper/15 focus-visible:outline-paper pointer-coarse:h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center'

function PhoneBar({ bar, label, count, loaded, onSelectAll, actions, onClear }: BarProps) {
  const rare = actions.filter(({ isRare }) => isRare)
  return (
    <section
      ref={bar}
      tabIndex={-1}
      data-quiet-focus
      aria-label={label}
      data-bottom-bar
      className="h-4"
    >
      <div className="fixed inset-x-0 top-0 z-[11] flex h-15 animate-appear items-center gap-2 border-b border-line bg-paper px-4">
        <output className="mr-auto text-xl font-semibold tracking-tight tabular-nums">
          {count} selected
        </output>
        {count < loaded ? (
          <button
            type="button"
            aria-label={`Select all ${loaded}`}
            onClick={onSelectAll}
            className={topClass}
          >
            All {loaded}
          </button>
        ) : null}
        <button type="button" aria-label="Clear" onClick={onClear} className={topClass}>
          <X size={17} aria-hidden />
        </button>
      </div>
      <div className="fixed inset-x-0 bottom-0 z-[11] grid animate-appear auto-cols-fr grid-flow-col bg-ink pr-(--safe-right) pb-(--safe-bottom) pl-(--safe-left) text-paper">
        {actions
          .filter(({ isRare }) => isRare !== true)
          .map(({ name, shortName = name, Icon, run }) => (
            <button key={name} type="button" aria-label={name} onClick={run} className={phoneClass}>
              <Icon size={20} aria-hidden />
              {shortName}
            </button>
          ))}
        {rare.length === 0 ? null : (
          <Popover
            icon={
              <>
                <Ellipsis size={20} aria-hidden />
                More
              </>
            }
            buttonClass={phoneClass}
            className="w-56"
          >
            {rare.map(({ name, Icon, run }) => (
              <MenuItem key={name} Icon={Icon} name={name} onClick={run} />
            ))}
          </Popover>
        )}
      </div>
    </section>
  )
}

const topClass =
  'inline-flex h-11 min-w-11 items-center justify-center rounded-xl border border-line bg-surface px-3 text-sm font-medium tabular-nums'
const phoneClass =
  'grid h-16 w-full content-center justify-items-center gap-1 text-xs leading-4 font-medium whitespace-nowrap focus-visible:-outline-offset-4 focus-visible:outline-paper'
