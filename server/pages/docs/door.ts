import { type Context, Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { createElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { DocsPage } from '#public-pages/docs-page.tsx'
import { DocsSearchPage } from '#public-pages/docs-search-page.tsx'
import { pageTitle, type PublicPage, publicPage } from '../../http/public-page.ts'
import type { PublicSite } from '../../http/public-site.ts'
import { readDocument } from './files.ts'
import { type DocsGroup, groupsOf, renderMarkdown } from './render-markdown.ts'
import { searchDocs } from './search-docs.ts'

const searchPath = 'search'

/** `/docs`: the documents of this version as pages without script. Other paths below it are those of the web app. */
export function createDocs(config: PublicSite): Hono {
  const app = new Hono()
  const pages = new LRUCache<string, PublicPage>({ max: 50 })
  app.get(`/${searchPath}`, async (c) => {
    c.header('X-Robots-Tag', 'noindex')
    return send(c, await renderSearch(queryOf(c), config))
  })
  // For the command palette (web/shell/).
  app.get(`/${searchPath}.json`, async (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    return c.json(await searchDocs(queryOf(c)))
  })
  app.get('/*', async (c, next) => {
    const path = c.req.path.replace(/^\/docs\/?|\/$/g, '')
    const page = pages.get(path) ?? (await render(path, config))
    if (page === undefined) return next()
    pages.set(path, page)
    return send(c, page)
  })
  return app
}

const queryOf = (c: Context) => (c.req.query('q') ?? '').trim().slice(0, 100)

function send(c: Context, { html, policy }: PublicPage): Response | Promise<Response> {
  c.header('Content-Security-Policy', policy)
  c.header('Cache-Control', 'public, max-age=300')
  return c.html(html)
}

async function render(path: string, site: PublicSite): Promise<PublicPage | undefined> {
  const document = await readDocument(path)
  if (document === undefined) return undefined
  const rendered = renderMarkdown(document)
  const page = createElement(DocsPage, { path, rendered, groups: await readGroups() })
  return docsPage(page, { path, title: rendered.title }, site)
}

async function renderSearch(query: string, site: PublicSite): Promise<PublicPage> {
  const props = { query, hits: await searchDocs(query), groups: await readGroups() }
  const title = visitorTexts(defaultLanguage).docs.results()
  return docsPage(createElement(DocsSearchPage, props), { path: searchPath, title }, site)
}

async function readGroups(): Promise<DocsGroup[]> {
  const index = await readDocument('')
  return index === undefined ? [] : groupsOf(index)
}

function docsPage(
  content: Parameters<typeof publicPage>[0],
  { path, title }: { path: string; title: string },
  { publicUrl }: PublicSite,
): PublicPage {
  return publicPage(
    content,
    {
      title: pageTitle(title),
      description: visitorTexts(defaultLanguage).docs.description({ title }),
      publicUrl,
      address: `${publicUrl}/docs${path === '' ? '' : `/${path}`}`,
    },
    { sheet: 'docs' },
    { formsTo: 'us' },
  )
}
