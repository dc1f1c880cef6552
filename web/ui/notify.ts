import { toast } from 'sonner'

export interface Notice {
  readonly title: string
  readonly description?: string
}

export function notifySuccess({ title, description }: Notice): void {
  toast.success(title, description === undefined ? {} : { description })
}

/** Says that something is gone, and offers it back for some seconds. */
export function notifyUndoable({ title }: Notice, onUndo: () => void): void {
  toast(title, { duration: 8_000, action: { label: 'Undo', onClick: onUndo } })
}

export function notifyError({ title, description }: Notice): void {
  toast.error(title, description === undefined ? {} : { description })
}
