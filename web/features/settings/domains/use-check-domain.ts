import { useQueryClient } from '@tanstack/react-query'
import { domainNotices } from '#domain/texts/domain-texts.ts'
import type { AccountDomain } from '#web/api/database.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { domainCalls, domainRefusal, domainsKey, domainsQuery } from './domains-query.ts'

export type DomainCheck = ReturnType<typeof useCheckDomain>

/** Checks a domain now, and shows the result in its card. */
export function useCheckDomain(userId: string, { id, is_verified: wasVerified }: AccountDomain) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: () => domainCalls.check(id),
    onSuccess: async (checked) => {
      client.setQueryData(domainsQuery(userId).queryKey, (rows) =>
        rows?.map((row) => (row.id === id ? { ...row, ...checked } : row)),
      )
      if (checked.is_verified && !wasVerified) notifySuccess(domainNotices.verified)
      await client.invalidateQueries({ queryKey: [...domainsKey(userId), 'choices'] })
    },
    onError: (error) =>
      notifyError({ ...domainNotices.notChecked, description: domainRefusal(error) }),
  })
}
