import { useId, useRef, useState, type CSSProperties, type ReactNode } from 'react'
import { iconButtonClass } from './button.tsx'
import { useClosingPresses } from './use-closing-presses.ts'

interface PopoverProps {
  /** The name of the button; without it the content of the button is its name. */
  label?: string
  icon: ReactNode
  /** Pressing any link or button in it closes the panel. */
  children: ReactNode
  className?: string
  /** Of the button; the default is that of an icon. */
  buttonClass?: string
  /** Opens above the button and to its right, instead of below and to its left. */
  above?: boolean
}

/**
 * A button that discloses a small panel beside it, on the platform's own popover: light dismiss, Escape, focus order
 * and aria-expanded come from the browser. Where anchor positioning is missing the panel opens in the middle.
 */
export function Popover(props: PopoverProps) {
  const { label, icon, children, className, buttonClass = iconButtonClass, above = false } = props
  const id = useId()
  const anchor = `--anchor-${id.replace(/[^a-zA-Z0-9]/g, '')}`
  const panel = useRef<HTMLDivElement>(null)
  // Closed panels are empty: a list with a panel in each row would be twice as heavy.
  const [open, setOpen] = useState(false)
  const anchored = CSS.supports('position-area: bottom')

  useClosingPresses(panel, () => panel.current?.hidePopover())

  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        popoverTarget={id}
        style={{ anchorName: anchor } as CSSProperties}
        className={buttonClass}
      >
        {icon}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        onBeforeToggle={(event) => {
          if (event.newState === 'open') setOpen(true)
        }}
        onToggle={(event) => setOpen(event.newState === 'open')}
        style={
          (anchored
            ? {
                positionAnchor: anchor,
                positionArea: above ? 'top span-right' : 'bottom span-left',
                positionTryFallbacks: 'flip-block, flip-inline',
                margin: '6px 0',
                // In a low window it scrolls; elsewhere it rather opens on the other side.
                maxHeight: 'max(100% - 12px, 45dvh)',
              }
            : { margin: 'auto' }) as CSSProperties
        }
        className={`rounded-2xl border border-line bg-surface p-1.5 text-ink shadow-lift open:animate-appear ${className ?? ''}`}
      >
        {open ? children : null}
      </div>
    </>
  )
}

export const popoverItemClass =
  'flex min-h-10 w-full pointer-coarse:min-h-11 items-center gap-3 rounded-xl px-3 text-left text-sm text-ink-soft ' +
  'transition-colors duration-150 hover:bg-sunken hover:text-ink aria-[current=page]:text-ink aria-[current=page]:font-medium'
