import { showToastOfKind } from './toasts.ts'

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

export function notifyError({ title, description }: ToastText): void {
  showToastOfKind('error', title, (toast) =>
    toast.error(title, description === undefined ? {} : { description }),
  )
}
