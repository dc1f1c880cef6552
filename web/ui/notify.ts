import { toast } from 'sonner'

interface Notice {
  readonly title: string
  readonly description?: string
}

export function notifySuccess({ title, description }: Notice): void {
  toast.success(title, description === undefined ? {} : { description })
}

export function notifyError({ title, description }: Notice): void {
  toast.error(title, description === undefined ? {} : { description })
}

interface UndoableNotice extends Notice {
  readonly undo: () => void
  /** The notice went away without undo: now the thing has to happen. */
  readonly confirm: () => void
  readonly milliseconds: number
}

/** A notice with an Undo button. Returns a function that takes the notice away; it calls neither callback. */
export function notifyUndoable(notice: UndoableNotice): () => void {
  const { title, undo, confirm, milliseconds } = notice
  const id = toast.success(title, {
    ...(notice.description === undefined ? {} : { description: notice.description }),
    duration: milliseconds,
    action: { label: 'Undo', onClick: undo },
    onAutoClose: confirm,
    onDismiss: confirm,
  })
  return () => {
    toast.dismiss(id)
  }
}
