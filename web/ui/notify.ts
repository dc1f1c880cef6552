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
