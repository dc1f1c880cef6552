import { queryOptions } from '@tanstack/react-query'
import { codeOfLink, namedOn } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { tables } from '#web/api/client.ts'
import type { ReportScope } from '#web/clicks/report.ts'
import { linkSearchQuery } from '#web/api/link-search.ts'
import { tagsQuery } from '#web/api/tags-query.ts'
import { linkWords } from '#web/link-name.tsx'
import { shownLink } from '#web/shown-link.ts'

/** Scopes of reports, by name. */
export interface ScopeChoice {
  about: ReportScope
  name: string
  note: string
  /** Links only. */
  link?: { code: string; title: string | null }
}

export const accountChoice: ScopeChoice = {
  about: { scope: 'account' },
  name: 'Account',
  note: 'All links and pages',
}

const maxLinks = 20

/** The newest links with the text in title, code or destination. */
export function linkChoicesQuery(userId: string, search: string) {
  return queryOptions({
    ...linkSearchQuery({ userId, search, limit: maxLinks }),
    select: (links): ScopeChoice[] =>
      links.map((link) => {
        const named = { code: codeOfLink(link), title: link.title }
        return {
          about: { scope: 'link', id: link.id },
          name: linkWords(named),
          link: named,
          note: readableUrl(link.original_url),
        }
      }),
  })
}

/** The bio page and its links. */
export function bioChoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['report-scopes', userId, 'bio'],
    queryFn: async ({ signal }): Promise<ScopeChoice[]> => {
      const { data: page } = await tables
        .from('bio_pages')
        .select('id,slug,domain,title')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      if (page === null) return []
      const { data: links } = await tables
        .from('bio_links')
        .select('id,title,url')
        .eq('bio_page_id', page.id)
        .order('link_order', { ascending: true })
        .abortSignal(signal)
        .throwOnError()
      return [
        {
          about: { scope: 'bio', id: page.id },
          name: page.title,
          note: shownLink(namedOn({ name: page.slug, domain: page.domain })),
        },
        ...links.map(({ id, title, url }): ScopeChoice => ({
          about: { scope: 'bio_link', id },
          name: title,
          note: readableUrl(url),
        })),
      ]
    },
  })
}

/** The tags of the account: each has the report of its links. */
export function tagChoicesQuery(userId: string) {
  return queryOptions({
    ...tagsQuery(userId),
    select: (tags): ScopeChoice[] =>
      tags.map(({ id, name }) => ({ about: { scope: 'tag', id }, name, note: 'Tag' })),
  })
}

/** An account has up to 200 tags: without a search, the links below stay in sight. */
export function firstTags(found: readonly ScopeChoice[], search: string): readonly ScopeChoice[] {
  return found.slice(0, search === '' ? 5 : 20)
}

/** The title and code, the title, or the name of the target in an address; null when the account has no such thing. */
export function scopeNameQuery(userId: string, about: ReportScope) {
  return queryOptions({
    queryKey: ['report-scopes', userId, 'name', about],
    queryFn: async ({ client, signal }): Promise<string | null> => {
      if (about.scope === 'account') return accountChoice.name
      if (about.scope === 'link') {
        const { data } = await tables
          .from('shortened_urls')
          .select('short_code,domain,title')
          .eq('user_id', userId)
          .eq('id', about.id)
          .abortSignal(signal)
          .maybeSingle()
          .throwOnError()
        return data === null ? null : linkWords({ code: codeOfLink(data), title: data.title })
      }
      if (about.scope === 'tag') {
        const tags = await client.fetchQuery(tagsQuery(userId))
        return tags.find(({ id }) => id === about.id)?.name ?? null
      }
      const choices = await client.ensureQueryData(bioChoicesQuery(userId))
      const found = choices.find((choice) => 'id' in choice.about && choice.about.id === about.id)
      return found?.name ?? null
    },
  })
}
