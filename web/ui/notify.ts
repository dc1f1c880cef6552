import { showToast, showToastOfKind } from './toasts.ts'

export interface ToastText {
  readonly title: string
  readonly description?: string
}

export function notifySuccess({ title, description }: ToastText): void {
  showToastOfKind('success', title, (toast) =>
    toast.success(title, description === undefined ? {} : { description }),
  )
}

export function notifyInfo({ title, description }: ToastText): void {
  showToastOfKind('info', title, (toast) =>
    toast.info(title, { ...(description !== undefined && { description }), duration: 10_000 }),
  )
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

export function notifyError({ title, description }: ToastText): void {
  showToastOfKind('error', title, (toast) =>
    toast.error(title, description === undefined ? {} : { description }),
  )
}
