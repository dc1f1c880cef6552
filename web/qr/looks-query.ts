import { queryOptions, useQuery } from '@tanstack/react-query'
import { plainQrLook, type QrLook, storedLook } from '#domain/qr/qr-look.ts'
import { answerOf, tables } from '#web/api/client.ts'

export interface SavedLook {
  id: string
  name: string
  look: QrLook
  isDefault: boolean
}

/** The looks that an account saved, by name. */
export function looksQuery(userId: string) {
  return queryOptions({
    queryKey: ['qr-looks', userId],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<SavedLook[]> => {
      const rows = await answerOf(
        tables
          .from('qr_looks')
          .select('id,name,look,is_default')
          .eq('user_id', userId)
          .order('name'),
        signal,
      )
      return rows.map(({ id, name, look, is_default: isDefault }) => ({
        id,
        name,
        look: storedLook(look),
        isDefault,
      }))
    },
  })
}

/** The look that every code of the account has; the plain one while it is not known. */
export function useDefaultLook(userId: string): QrLook {
  const { data } = useQuery(looksQuery(userId))
  return data?.find(({ isDefault }) => isDefault)?.look ?? plainQrLook
}
