import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Notice } from '#domain/texts.ts'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'

interface AdminMutation<Input, Result> {
  run: (input: Input) => Promise<Result>
  done: Notice | ((result: Result, input: Input) => Notice)
  failed: Notice
}

/** Something that an admin does: says how it went, and has every admin list read again. */
export function useAdminMutation<Input, Result = unknown>({
  run,
  done,
  failed,
}: AdminMutation<Input, Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSuccess: async (result, input) => {
      notifySuccess(typeof done === 'function' ? done(result, input) : done)
      await client.invalidateQueries({ queryKey: ['admin'] })
    },
    onError: (error) => {
      if (error instanceof GivenUpError) return
      // A rule that the database names is told in its own words; anything else is not for people.
      const isRule = 'code' in error && error.code === 'P0001'
      notifyError({ ...failed, ...(isRule ? { description: error.message } : {}) })
    },
  })
}

/** The person closed the dialog that asked for the password: no failure, and nothing was done. */
export class GivenUpError extends Error {}
