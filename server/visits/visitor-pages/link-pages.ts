import type { PasswordRefusal } from '../../http/password-refusal.ts'
import type { IncomingMessage } from 'node:http'
import { createElement } from 'react'
import {
  LinkClosedPage,
  LinkPasswordPage,
  LinkPreviewerPage,
  LinkPreviewPage,
} from '#public-pages/link/link-pages.tsx'
import { publicPage } from '../../http/public-page.ts'
import type { PublicSite } from '../../http/security-headers.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import { createAddressPageCache, createPageCache, unzippedPage } from './page-cache.ts'
import type { VisitResponse } from '../responses.ts'

export type LinkPages = ReturnType<typeof createLinkPages>

const maxBytes = 8 * 1024 ** 2
const headers = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' }

/** The pages of a link beside its redirect. None has a destination in it but the preview page, which is asked for it. */
export function createLinkPages(site: PublicSite) {
  // Two caches, because an entry may live from before the start of its link until after the end.
  const early = createPageCache<LinkEntry>(site, maxBytes)
  const ended = createPageCache<LinkEntry>(site, maxBytes)
  const preview = createPageCache<LinkEntry>(site, maxBytes)
  const previewer = createPageCache<LinkEntry>(site, maxBytes)
  const password = createAddressPageCache<LinkEntry>(site, maxBytes)

  return {
    /** Before the start (404), or after the end (410). */
    closed(link: LinkEntry, isOver: boolean, request: IncomingMessage): VisitResponse {
      const render = isOver ? ended : early
      return render(link, request, { status: isOver ? 410 : 404, headers }, (publicUrl) =>
        publicPage(
          createElement(LinkClosedPage, { isOver }),
          {
            title: isOver ? 'Link has ended · Hoplet' : 'Link has not started · Hoplet',
            description: 'This link leads nowhere at the moment.',
            publicUrl,
          },
          { report: link.name },
        ),
      )
    },

    /** `/{code}+`. @param destination undefined: it depends on the visitor */
    preview(link: LinkEntry, destination: string | undefined, request: IncomingMessage) {
      return preview(link, request, { status: 200, headers }, (publicUrl) =>
        publicPage(
          createElement(LinkPreviewPage, {
            address: `${new URL(publicUrl).host}/${link.name}`,
            path: `/${link.name}`,
            title: link.title,
            destination,
          }),
          {
            title: `${link.title ?? link.name} · Hoplet`,
            description: 'Where this short link leads.',
            publicUrl,
          },
          { sheet: 'link', report: link.name },
        ),
      )
    },

    /** For link previewers: the owner's texts and picture. */
    previewer(link: LinkEntry, request: IncomingMessage): VisitResponse {
      return previewer(link, request, { status: 200, headers }, (publicUrl) => {
        const { title, description, imageUrl } = link.options?.preview ?? {}
        const shownTitle = title ?? link.title ?? link.name
        return publicPage(
          createElement(LinkPreviewerPage, { title: shownTitle, path: `/${link.name}` }),
          {
            title: shownTitle,
            description: description ?? '',
            publicUrl,
            address: `${publicUrl}/${link.name}`,
            picture: new URL(imageUrl ?? `/og/${link.name}.png`, publicUrl).href,
          },
          { report: link.name },
        )
      })
    },

    /** @param url of the request: the form comes back to it */
    password(
      link: LinkEntry,
      url: string,
      { status, problem, wait }: Partial<PasswordRefusal> = {},
    ): VisitResponse {
      const page = (action: string) =>
        publicPage(
          createElement(LinkPasswordPage, { action, subject: 'link', title: link.title, problem }),
          {
            title: 'Password needed · Hoplet',
            description: 'This link has a password.',
            publicUrl: site.publicUrl,
          },
          { sheet: 'link', report: link.name },
          { formsTo: 'anywhere' },
        )
      if (problem === undefined) return password(link, url, { status: 200, headers }, page)
      const retry = wait !== undefined && { 'Retry-After': String(wait) }
      return unzippedPage(
        page(url),
        { status: status ?? 200, headers: { ...headers, ...retry } },
        site,
      )
    },
  }
}
