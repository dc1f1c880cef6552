import {
  type MutateOptions,
  useMutation,
  type UseMutationOptions,
  type UseMutationResult,
} from '@tanstack/react-query'
import { useRef } from 'react'

type SingleMutation<Data, Variables> = Omit<
  UseMutationResult<Data, Error, Variables>,
  'mutate' | 'mutateAsync'
> & {
  mutate: (variables: Variables, options?: MutateOptions<Data, Error, Variables>) => void
}

/**
 * useMutation for a press: a call while one is under way does nothing. `isPending` is of the last render, and
 * the second press of a double click comes before the next.
 */
export function useSingleMutation<Data = unknown, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): SingleMutation<Data, Variables> {
  const isRunning = useRef(false)
  const { mutate: start, mutateAsync: _, ...mutation } = useMutation(options)
  return {
    ...mutation,
    mutate: (variables, callbacks) => {
      if (isRunning.current) return
      isRunning.current = true
      start(variables, {
        ...callbacks,
        onSettled: (...result) => {
          isRunning.current = false
          callbacks?.onSettled?.(...result)
        },
      })
    },
  }
}
