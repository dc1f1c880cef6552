import { type RefObject, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { iconButtonClass } from '../button.tsx'
import { placePopover } from './popover-place.ts'
import { useClosingPresses } from './use-closing-presses.ts'

interface PopoverProps {
  /** The name of the button; without it the content of the button is its name. */
  label?: string
  icon: ReactNode
  /** Pressing any link or button in it closes the panel. */
  children: ReactNode
  className?: string
  /** Class of the button; the default is that of an icon. */
  buttonClass?: string
  /** Opens above the button and to its right. */
  above?: boolean
}

/**
 * A button that discloses a small panel beside it, on the platform's own popover: light dismiss, Escape, focus order
 * and aria-expanded come from the browser.
 */
export function Popover(props: PopoverProps) {
  const { label, icon, children, className, buttonClass = iconButtonClass, above = false } = props
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  // Closed panels are empty: a list with a panel in each row would be twice as heavy.
  const [open, setOpen] = useState(false)

  useClosingPresses(panel, () => panel.current?.hidePopover())
  usePlace(button, panel, open, above)

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        popoverTarget={id}
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
        className={`fixed inset-auto m-0 rounded-2xl border border-line bg-surface p-1.5 text-ink shadow-lift open:animate-appear ${className ?? ''}`}
      >
        {open ? children : null}
      </div>
    </>
  )
}

/**
 * Keeps an open panel beside its button. By script, because engines place by anchors in different ways: WebKit ignores
 * transforms and the scroll position, and leaves a panel that it turned to the other side transparent.
 */
function usePlace(
  button: RefObject<HTMLElement | null>,
  panel: RefObject<HTMLElement | null>,
  open: boolean,
  above: boolean,
): void {
  useEffect(() => {
    const { current: opener } = button
    const { current: element } = panel
    if (!open || opener === null || element === null) return
    const place = () => {
      const { offsetWidth: width, offsetHeight, clientHeight, scrollHeight } = element
      const height = scrollHeight + offsetHeight - clientHeight
      const { clientWidth, clientHeight: windowHeight } = document.documentElement
      const { left, top, maxHeight } = placePopover(
        opener.getBoundingClientRect(),
        { width, height },
        { width: clientWidth, height: windowHeight },
        above,
      )
      Object.assign(element.style, {
        left: `${left}px`,
        top: `${top}px`,
        maxHeight: `${maxHeight}px`,
      })
    }
    // The first answer comes when the panel has its size, before it is painted.
    const observer = new ResizeObserver(place)
    observer.observe(element)
    window.addEventListener('scroll', place, { capture: true, passive: true })
    window.addEventListener('resize', place)
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', place, { capture: true })
      window.removeEventListener('resize', place)
    }
  }, [button, panel, open, above])
}

export const popoverItemClass =
  'flex min-h-10 w-full pointer-coarse:min-h-11 items-center gap-3 rounded-xl px-3 text-left text-sm text-ink-soft ' +
  'transition-colors duration-150 hover:bg-sunken hover:text-ink aria-[current=page]:text-ink aria-[current=page]:font-medium'
