import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { IconButton } from '../button.tsx'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  /** Only an answer closes it: neither Escape nor the backdrop, and there is no X. The screen behind is blurred. */
  mustAnswer?: boolean
  /** Whether it may close by Escape, the backdrop or the X; asked each time. */
  mayClose?: (() => boolean) | undefined
  /**
   * A `form` has columns. A `palette` is near the top, without padding and without a visible title: for a field with a list
   * below it.
   */
  shape?: 'card' | 'wide' | 'form' | 'palette'
  children: ReactNode
}

/**
 * A modal on the platform's own <dialog>: it holds the focus, closes on Escape, and gives the focus back to the
 * element that had it. The focus starts at the element marked data-first-focus, or at the title. A sheet at the bottom on phones, a card in the middle elsewhere.
 */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, mustAnswer = false, shape = 'card', children } = props
  const mayClose = () => !mustAnswer && props.mayClose?.() !== false
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)

  useEffect(() => {
    const element = dialog.current
    if (element === null) return
    if (open && !element.open) {
      element.showModal()
      const first = element.querySelector<HTMLElement>('[data-first-focus]')
      // The browser would choose the X.
      ;(first ?? (mustAnswer ? null : element.querySelector('h2')))?.focus()
    }
    if (!open && element.open) element.close()
  }, [open, mustAnswer])

  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
      // Only the backdrop has the dialog itself as its target. So has the click after a text was selected past the edge.
      onPointerDownCapture={({ target }) => {
        pressed.current = target
      }}
      onClickCapture={({ target, currentTarget }) => {
        if (target === currentTarget && target === pressed.current && mayClose())
          currentTarget.close()
      }}
      onCancel={(event) => {
        // That of a dialog inside bubbles.
        if (event.target === event.currentTarget && !mayClose()) event.preventDefault()
      }}
      // The event comes late: by then the dialog may be open again.
      onClose={() => {
        if (dialog.current?.open === true) return
        // Browsers let a second Escape through.
        if (open && !mayClose()) dialog.current?.showModal()
        else onClose()
      }}
      className={`${mustAnswer ? 'backdrop:backdrop-blur-md' : ''} ${shapes[shape]} w-full scroll-pb-24 border border-line bg-surface p-0 text-ink shadow-lift open:animate-appear`}
    >
      {open && shape === 'palette' ? (
        <>
          <h2 id={`${id}-title`} className="sr-only">
            {title}
          </h2>
          {children}
        </>
      ) : open ? (
        <div
          className={`p-6 pb-[calc(2rem+var(--safe-bottom))] sm:p-7 ${shape === 'form' ? 'sm:grid sm:h-full sm:grid-cols-[minmax(0,1fr)] sm:grid-rows-[auto_minmax(0,1fr)]' : ''}`}
        >
          <div className="mb-5 flex items-start justify-between gap-4">
            <h2
              id={`${id}-title`}
              tabIndex={-1}
              data-quiet-focus
              className="text-xl font-semibold tracking-tight"
            >
              {title}
            </h2>
            {mustAnswer ? null : (
              <IconButton
                label="Close"
                onClick={() => {
                  if (mayClose()) dialog.current?.close()
                }}
                className="-mt-2 -mr-2"
              >
                <X size={18} aria-hidden />
              </IconButton>
            )}
          </div>
          {description === undefined ? null : (
            <p id={`${id}-description`} className="mb-6 leading-relaxed text-ink-soft">
              {description}
            </p>
          )}
          {children}
        </div>
      ) : null}
    </dialog>
  )
}

const sheet = 'mx-auto mt-auto mb-0 max-w-none rounded-t-2xl sm:m-auto sm:rounded-2xl'
const shapes = {
  card: `${sheet} sm:max-w-md`,
  wide: `${sheet} sm:max-w-[min(48rem,100vw-3rem)]`,
  // As high as it may be, and only its middle scrolls: a button that moves while it is pressed is missed.
  form: `${sheet} sm:overflow-hidden sm:h-[min(50rem,100dvh-2.5rem)] sm:max-w-[min(64rem,100vw-3rem)]`,
  palette: 'mx-auto mt-[8dvh] mb-auto max-w-[min(35rem,100vw-1.5rem)] rounded-2xl',
}

/** The row of buttons that ends a dialog; the main one comes last, on the right. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="mt-7 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">{children}</div>
  )
}
