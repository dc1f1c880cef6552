import { queryOptions } from '@tanstack/react-query'
import { fetchInWords } from '#web/api/fetch-in-words.ts'

/** A section of the documentation, as `/docs/search.json` answers it. */
export interface FoundSection {
  title: string
  heading?: string
  href: string
}

/** The sections of the documentation with the words, the best first. */
export function docsSearchQuery(search: string) {
  return queryOptions({
    queryKey: ['docs-search', search],
    enabled: search.length > 1,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<FoundSection[]> => {
      const query = new URLSearchParams({ q: search })
      const response = await fetchInWords(`/docs/search.json?${query}`, { signal })
      if (!response.ok) throw new Error(`The search answered ${response.status}`)
      return (await response.json()) as FoundSection[]
    },
  })
}
