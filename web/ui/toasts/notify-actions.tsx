import { buttonClass } from '../button.tsx'
import type { ToastText } from './notify.ts'
import { showToast, showToastOfKind } from './toasts.ts'

interface ToastAction {
  label: string
  act: () => void
}

/** Says that something worked, with the next actions. Any of the actions closes it. */
export function notifySuccessWith(
  { title, description }: ToastText,
  actions: readonly ToastAction[],
): void {
  showToastOfKind('success', title, (toast) => {
    const id = toast.success(title, {
      duration: 12_000,
      description: (
        <>
          <span className="block wrap-anywhere whitespace-pre-line">{description}</span>
          <span className="mt-2 flex flex-wrap gap-1.5">
            {actions.map(({ label, act }) => (
              <button
                key={label}
                type="button"
                className={buttonClass('plain', 'small')}
                onClick={() => {
                  toast.dismiss(id)
                  act()
                }}
              >
                {label}
              </button>
            ))}
          </span>
        </>
      ),
    })
    return id
  })
}

interface Undoable {
  onUndo: () => void
  durationMs?: number
}

/**
 * Says that something is gone, and offers it back for some seconds.
 *
 * @returns takes the offer back
 */
export function notifyUndoable(
  { title, description }: ToastText,
  { onUndo, durationMs = 15_000 }: Undoable,
): () => void {
  let id: string | number | undefined
  showToast((toast) => {
    id = toast(title, {
      ...(description !== undefined && { description }),
      duration: durationMs,
      action: { label: 'Undo', onClick: onUndo },
    })
  })
  return () =>
    showToast((toast) => {
      // Without an id all toasts would go.
      if (id !== undefined) toast.dismiss(id)
    })
}
