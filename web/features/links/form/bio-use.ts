import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'

interface BioUse {
  pageId: string
  slug: string
  links: { id: string; title: string; url: string; link_order: number }[]
}

/** The bio page's own form takes no more. */
export const maxBioLinks = 100

/** The bio page of the account with its links; null without one. */
export function bioUseQuery(userId: string) {
  return queryOptions({
    queryKey: ['bio-use', userId],
    queryFn: async ({ signal }): Promise<BioUse | null> => {
      const { data: page } = await tables
        .from('bio_pages')
        .select('id,slug')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      if (page === null) return null
      const { data: links } = await tables
        .from('bio_links')
        .select('id,title,url,link_order')
        .eq('bio_page_id', page.id)
        .order('link_order', { ascending: true })
        .abortSignal(signal)
        .throwOnError()
      return { pageId: page.id, slug: page.slug, links }
    },
  })
}

/** Puts an address at the end of the bio page; false when that did not work. */
export function useAddToBio(userId: string): (url: string, title: string) => Promise<boolean> {
  const client = useQueryClient()
  return async (url, title) => {
    try {
      const page = await client.fetchQuery(bioUseQuery(userId))
      if (page === null || page.links.length >= maxBioLinks) return false
      const last = page.links.at(-1)?.link_order ?? -1
      await tables
        .from('bio_links')
        .insert({ bio_page_id: page.pageId, title, url, link_order: last + 1 })
        .throwOnError()
      return true
    } catch {
      return false
    } finally {
      void client.invalidateQueries({ queryKey: ['bio-use', userId] })
    }
  }
}

/** Takes an address off the bio page again. */
export function useRemoveFromBio(userId: string): (url: string) => Promise<void> {
  const client = useQueryClient()
  return async (url) => {
    const page = await client.fetchQuery(bioUseQuery(userId))
    if (page === null) return
    await tables.from('bio_links').delete().eq('bio_page_id', page.pageId).eq('url', url)
    void client.invalidateQueries({ queryKey: ['bio-use', userId] })
  }
}
