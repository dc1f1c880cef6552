import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { useQueryClient } from '@tanstack/react-query'
import type { Notice } from '#domain/texts/texts.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'

interface AdminMutation<Input, Result> {
  run: (input: Input) => Promise<Result>
  done: Notice | ((result: Result, input: Input) => Notice)
  failed: Notice
}

/** A mutation of an admin: says how it went, and refetches the admin lists. */
export function useAdminMutation<Input, Result = unknown>({
  run,
  done,
  failed,
}: AdminMutation<Input, Result>) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: run,
    onSuccess: async (result, input) => {
      notifySuccess(typeof done === 'function' ? done(result, input) : done)
      await client.invalidateQueries({ queryKey: ['admin'] })
    },
    onError: (error) => {
      if (error instanceof GivenUpError) return
      // The message of a rule is for people; all others are for programmers.
      const isRule = 'code' in error && error.code === 'P0001'
      notifyError({ ...failed, ...(isRule ? { description: error.message } : {}) })
    },
  })
}

/** The person closed the dialog for the password, so nothing was done. No toast is shown. */
export class GivenUpError extends Error {}
