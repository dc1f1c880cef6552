import { LRUCache } from 'lru-cache'
import { createElement, type ReactElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import type { AboutPage } from '#public-pages/frame/document.tsx'
import { NotFoundPage } from '#public-pages/not-found.tsx'
import { type PublicPageOptions, renderPublicPage } from '#public-pages/render.tsx'

/**
 * A whole document for a visitor, and the Content-Security-Policy it needs: nothing runs in it but our own script,
 * nothing frames it.
 */
export interface PublicPage {
  html: string
  policy: string
}

/** Sends a page that is made for one request: it is neither cached nor indexed. */
export function pageResponse(
  { html, policy }: PublicPage,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
      ...headers,
    },
  })
}

export interface PagePermissions {
  /** An origin besides ours that an image comes from. */
  imageOrigin?: string
  /**
   * Where its forms may lead. Chromium applies `form-action` to each redirect behind a form, also to those of other sites,
   * so the page of a form that ends elsewhere cannot have one.
   */
  formsTo?: 'us' | 'anywhere'
}

// The server may be open at another address too, and leads to its public one.
function formActions(formsTo: PagePermissions['formsTo'], publicUrl: string): string[] {
  if (formsTo === 'anywhere') return []
  return [
    formsTo === 'us' ? `form-action 'self' ${new URL(publicUrl).origin}` : "form-action 'none'",
  ]
}

/** Renders a page and writes the policy that allows exactly its contents. */
export function publicPage(
  content: ReactElement,
  about: AboutPage,
  options: PublicPageOptions,
  { imageOrigin, formsTo }: PagePermissions = {},
): PublicPage {
  const { html, styleHashes, scriptHashes } = renderPublicPage(content, about, options)
  return {
    html,
    policy: [
      "default-src 'none'",
      `script-src ${scriptHashes.join(' ') || "'none'"}`,
      `style-src ${styleHashes.join(' ')}`,
      `img-src 'self'${imageOrigin === undefined ? '' : ` ${imageOrigin}`}`,
      "font-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      ...formActions(formsTo, about.publicUrl),
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

/** `Page not found · Hoplet`. */
export function pageTitle(title: string): string {
  return visitorTexts(defaultLanguage).site.pageTitle({ title })
}

// A server has one public address; tests in one process have several.
const notFoundPages = new LRUCache<string, PublicPage>({
  max: 10,
  memoMethod: (addresses) => {
    const [publicUrl = '', appUrl = ''] = addresses.split(' ')
    const { notFound: texts } = visitorTexts(defaultLanguage)
    return publicPage(
      createElement(NotFoundPage),
      { title: pageTitle(texts.title()), description: texts.description(), publicUrl, appUrl },
      {},
    )
  },
})

/** The page for `/404` and unknown paths, rendered once per public address; send it with status 404. `appUrl` is where the app is, if not there. */
export const notFoundPage = (publicUrl: string, appUrl = ''): PublicPage =>
  notFoundPages.memo(`${publicUrl} ${appUrl}`)
