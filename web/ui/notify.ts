import { toast } from 'sonner'

export interface ToastText {
  readonly title: string
  readonly description?: string
}

export function notifySuccess({ title, description }: ToastText): void {
  toast.success(title, description === undefined ? {} : { description })
}

export function notifyInfo({ title, description }: ToastText): void {
  toast.info(title, { ...(description !== undefined && { description }), duration: 10_000 })
}

/** Says that something is gone, and offers it back for some seconds. */
export function notifyUndoable({ title }: ToastText, onUndo: () => void): void {
  toast(title, { duration: 8_000, action: { label: 'Undo', onClick: onUndo } })
}

export function notifyError({ title, description }: ToastText): void {
  toast.error(title, description === undefined ? {} : { description })
}
