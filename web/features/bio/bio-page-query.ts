import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'
import type { SavedBioPage } from '#web/api/database.ts'

/**
 * The bio page of an account with its lists, or null before the first save. Fetched for each visit to the editor, and
 * left alone while it is edited.
 */
export function bioPageQuery(userId: string) {
  return queryOptions({
    queryKey: ['bio-page', userId],
    queryFn: async ({ signal }): Promise<SavedBioPage | null> => {
      const { data: page } = await tables
        .from('bio_pages')
        .select(
          'id,user_id,slug,title,description,popup_id,theme_primary,theme_background,theme_text,visit_count,version,look,avatar_url,domain',
        )
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      if (page === null) return null
      const [links, socialLinks] = await Promise.all([
        tables
          .from('bio_links')
          .select('id,kind,title,url,image_url,starts_at,ends_at,link_order,click_count,is_visible')
          .eq('bio_page_id', page.id)
          .order('link_order', { ascending: true })
          .abortSignal(signal)
          .throwOnError(),
        tables
          .from('bio_social_links')
          .select('id,platform,url,display_order')
          .eq('bio_page_id', page.id)
          .order('display_order', { ascending: true })
          .abortSignal(signal)
          .throwOnError(),
      ])
      return { page, links: links.data, social_links: socialLinks.data }
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}
