import { queryOptions } from '@tanstack/react-query'
import { spaceRole } from '#domain/access/space-roles.ts'
import { answerOf, personTables } from '#web/api/client.ts'
import type { Space } from '#web/session/space/account-store.ts'

/** The spaces of a person, by name. */
export function spacesQuery(personId: string) {
  return queryOptions({
    queryKey: ['person', personId, 'spaces'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Space[]> => {
      const request = personTables.from('spaces').select('id,slug,name,role')
      const rows = await answerOf(request, signal)
      return rows
        .flatMap(({ role, ...space }) => {
          const known = spaceRole(role)
          return known === undefined ? [] : [{ ...space, role: known }]
        })
        .toSorted((a, b) => a.name.localeCompare(b.name))
    },
  })
}
