import { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { createElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { DocsPage } from '#public-pages/docs-page.tsx'
import { pageTitle, type PublicPage, publicPage } from '../../http/public-page.ts'
import type { PublicSite } from '../../http/security-headers.ts'
import { readDocument } from './files.ts'
import { groupsOf, renderMarkdown } from './render-markdown.ts'

/** `/docs`: the documents of this version as pages without script. Other paths below it are those of the web app. */
export function createDocs(config: PublicSite): Hono {
  const app = new Hono()
  const pages = new LRUCache<string, PublicPage>({ max: 50 })
  app.get('/*', async (c, next) => {
    const path = c.req.path.replace(/^\/docs\/?|\/$/g, '')
    const page = pages.get(path) ?? (await render(path, config))
    if (page === undefined) return next()
    pages.set(path, page)
    c.header('Content-Security-Policy', page.policy)
    c.header('Cache-Control', 'public, max-age=300')
    return c.html(page.html)
  })
  return app
}

async function render(path: string, { publicUrl }: PublicSite): Promise<PublicPage | undefined> {
  const [document, index] = await Promise.all([readDocument(path), readDocument('')])
  if (document === undefined || index === undefined) return undefined
  const rendered = renderMarkdown(document)
  const props = { path, rendered, groups: groupsOf(index) }
  return publicPage(
    createElement(DocsPage, props),
    {
      title: pageTitle(rendered.title),
      description: visitorTexts(defaultLanguage).docs.description({ title: rendered.title }),
      publicUrl,
      address: `${publicUrl}/docs${path === '' ? '' : `/${path}`}`,
    },
    { sheet: 'docs' },
  )
}
