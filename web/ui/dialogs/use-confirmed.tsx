import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx'
import { notifyError, notifySuccess, type ToastText } from '../toasts/notify.ts'
import { useSingleMutation } from '../hooks/use-single-mutation.ts'

interface Confirmed<Subject> extends Pick<
  ConfirmDialogProps<Subject>,
  'title' | 'describe' | 'action' | 'busyAction'
> {
  run: (subject: Subject) => Promise<unknown>
  done: (subject: Subject) => ToastText
  failed: (error: Error) => ToastText
  /** The queries that are out of date afterwards. */
  queryKey: QueryKey
}

/** A mutation that asks first: `ask` opens the dialog for a subject. Closes it, reports the result and refetches. */
export function useConfirmed<Subject>({
  run,
  done,
  failed,
  queryKey,
  ...question
}: Confirmed<Subject>): { ask: (subject: Subject) => void; dialog: ReactNode } {
  const client = useQueryClient()
  const [subject, setSubject] = useState<Subject>()
  const mutation = useSingleMutation({
    mutationFn: run,
    onSuccess: async (_, subject) => {
      setSubject((now) => (now === subject ? undefined : now))
      notifySuccess(done(subject))
      await client.invalidateQueries({ queryKey })
    },
    onError: (error) => notifyError(failed(error)),
  })
  return {
    ask: (subject) => setSubject(() => subject),
    dialog: (
      <ConfirmDialog
        {...question}
        subject={subject}
        busy={mutation.isPending}
        onClose={() => setSubject(undefined)}
        onConfirm={(subject) => mutation.mutate(subject)}
      />
    ),
  }
}
