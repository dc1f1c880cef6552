import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'
import type { ApiRows } from '#domain/database.generated.ts'

export type TagRow = Pick<ApiRows['tags'], 'id' | 'name' | 'color'>

/** The tags of an account, by name. Its links change them too: the key is below the account's. */
export function tagsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'tags'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<TagRow[]> => {
      const { data } = await tables
        .from('tags')
        .select('id,name,color')
        .eq('user_id', userId)
        .abortSignal(signal)
        .throwOnError()
      return data.toSorted((a, b) => a.name.localeCompare(b.name))
    },
  })
}

/** The color of a tag; undefined for one that is still to be made. */
export function tagColorOf(
  known: readonly { name: string; color?: string }[],
  name: string,
): string | undefined {
  return known.find((tag) => tag.name.toLowerCase() === name.toLowerCase())?.color
}
