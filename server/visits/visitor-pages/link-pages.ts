import { type PasswordRefusal, retryAfter } from '../../http/password-refusal.ts'
import type { IncomingMessage } from 'node:http'
import { createElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import {
  LinkClosedPage,
  LinkPasswordPage,
  LinkPreviewerPage,
  LinkPreviewPage,
} from '#public-pages/link/link-pages.tsx'
import { pageTitle, publicPage } from '../../http/public-page.ts'
import type { PublicSite } from '../../http/public-site.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import {
  createAddressPageCache,
  createPageCache,
  type ShownAt,
  shownAt,
  siteOf,
  unzippedPage,
} from './page-cache.ts'
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
      return render(link, request, { status: isOver ? 410 : 404, headers }, (at) => {
        const { closed: texts } = visitorTexts(defaultLanguage)
        return publicPage(
          createElement(LinkClosedPage, { isOver }),
          {
            title: pageTitle(isOver ? texts.endedTitle() : texts.earlyTitle()),
            description: texts.description(),
            ...shownAt(at),
          },
          { report: link.name },
        )
      })
    },

    /** `/{code}+`. @param destination undefined: it depends on the visitor */
    preview(link: LinkEntry, destination: string | undefined, request: IncomingMessage) {
      return preview(link, request, { status: 200, headers }, (at) =>
        publicPage(
          createElement(LinkPreviewPage, {
            address: `${new URL(at.publicUrl).host}/${link.name}`,
            path: `/${link.name}`,
            title: link.title,
            destination,
          }),
          {
            title: pageTitle(link.title ?? link.name),
            description: visitorTexts(defaultLanguage).preview.description(),
            ...shownAt(at),
          },
          { sheet: 'link', report: link.name },
        ),
      )
    },

    /** For link previewers: the owner's texts and picture. */
    previewer(link: LinkEntry, request: IncomingMessage): VisitResponse {
      return previewer(link, request, { status: 200, headers }, (at) => {
        const { title, description, imageUrl } = link.options?.preview ?? {}
        const shownTitle = title ?? link.title ?? link.name
        return publicPage(
          createElement(LinkPreviewerPage, { title: shownTitle, path: `/${link.name}` }),
          {
            title: shownTitle,
            description: description ?? '',
            ...shownAt(at),
            address: `${at.publicUrl}/${link.name}`,
            picture: new URL(imageUrl ?? `/og/${link.name}.png`, at.publicUrl).href,
          },
          { report: link.name },
        )
      })
    },

    /** @param url of the request: the form comes back to it */
    password(link: LinkEntry, url: string, refusal?: PasswordRefusal): VisitResponse {
      const page = (action: string, at: ShownAt) => {
        const { password: texts } = visitorTexts(defaultLanguage)
        return publicPage(
          createElement(LinkPasswordPage, { action, subject: 'link', title: link.title, refusal }),
          {
            title: pageTitle(texts.linkTitle()),
            description: texts.linkDescription(),
            ...shownAt(at),
          },
          { sheet: 'link', report: link.name },
          { formsTo: 'anywhere' },
        )
      }
      if (refusal === undefined) return password(link, url, { status: 200, headers }, page)
      const { status } = refusal
      const at = siteOf(link, site)
      const head = { status, headers: { ...headers, ...retryAfter(refusal) } }
      return unzippedPage(page(url, at), head, at)
    },
  }
}
