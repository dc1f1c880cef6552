import { readFile, stat } from 'node:fs/promises'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { appRoutePaths } from '#domain/routes.ts'
import { pricesOf } from '../billing/settings.ts'
import type { Context } from '../context.ts'
import { notFoundPage } from '../http/public-page.ts'
import { appPolicy } from '../http/security-headers.ts'

const immutable = 'public, max-age=31536000, immutable'

/** Serves the built single-page app: its document on each of its routes, and its static files. Other paths are 404. */
export function createWebApp(context: Pick<Context, 'config' | 'tokens'>, folder: string): Hono {
  const app = new Hono()
  const document = cachedDocument(`${folder}/index.html`, (html) => fillDocument(html, context))

  for (const path of appRoutePaths) {
    app.get(path, async (c) => {
      c.header('Content-Security-Policy', appPolicy(context.config.auth.captcha?.provider))
      c.header('Cache-Control', 'no-cache')
      return c.html(await document())
    })
  }
  // The raw document is not served: it is only complete with its placeholders filled in.
  app.get('/index.html', (c) => c.redirect('/', 301))
  const files = serveStatic({ root: folder, precompressed: true })
  app.use('*', async (c, next) => {
    // Files of the build tool (.vite/manifest.json) are not public.
    if (c.req.path.startsWith('/.')) return next()
    const found = await files(c, next)
    const isHashed = c.req.path.startsWith('/assets/')
    if (!(found instanceof Response)) return undefined
    found.headers.set('Cache-Control', isHashed ? immutable : 'public, max-age=3600')
    return found
  })
  app.all('*', (c) => {
    const path = c.req.path.replace(/\/+$/, '')
    if (appRoutePaths.includes(path || '/')) {
      if (c.req.method !== 'GET' && c.req.method !== 'HEAD')
        return c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' })
      return c.redirect(`${path}${new URL(c.req.url).search}`, 301)
    }
    const { html, policy } = notFoundPage(context.config.publicUrl)
    c.header('Content-Security-Policy', policy)
    c.header('Cache-Control', 'no-store')
    return c.html(html, 404)
  })
  return app
}

/**
 * Fills this server's settings into the document of the web app (web/site.ts reads them).
 *
 * @public used by `npm run dev`
 */
export function fillDocument(html: string, context: Pick<Context, 'config' | 'tokens'>): string {
  const { payments, publicUrl } = context.config
  const prices = payments && pricesOf(payments)
  return html
    .replaceAll('%HOPLET_ANON_KEY%', context.tokens.anonKey)
    .replaceAll('%HOPLET_PUBLIC_URL%', publicUrl)
    .replaceAll('%HOPLET_PAYMENTS%', payments?.provider ?? 'none')
    .replaceAll('%HOPLET_PRICE_PRO%', prices?.pro ?? '')
    .replaceAll('%HOPLET_PRICE_BUSINESS%', prices?.business ?? '')
}

/** Reads the file once, and again after it changed (a rebuild while the server runs). */
function cachedDocument(path: string, fill: (html: string) => string): () => Promise<string> {
  let cached: { version: number; html: string } | undefined
  return async () => {
    try {
      const { mtimeMs } = await stat(path)
      if (cached?.version !== mtimeMs)
        cached = { version: mtimeMs, html: fill(await readFile(path, 'utf8')) }
    } catch (error) {
      // During a rebuild the file is missing for a moment.
      if (!cached) throw error
    }
    return cached.html
  }
}
