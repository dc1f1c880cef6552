import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Hono } from 'hono'
import { readableHost } from '#domain/links/destinations.ts'
import {
  appRoutePaths,
  isAppPath,
  pathInSpace,
  routes,
  routesOfPlans,
  spaceRoutePaths,
  splitSpacePath,
} from '#domain/routes.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { pricesOf } from '../billing/settings.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import { compressBody } from '../http/compression.ts'
import { notFoundPage } from '../http/public-page.ts'
import type { HttpEnvironment } from '../http/router.ts'
import { appPolicy } from '../http/security-headers.ts'
import { asResponse } from '../visits/responses.ts'
import { escapeMarkup } from '../primitives/escape-markup.ts'
import { serveFiles } from './static-files.ts'

/** The routes with a separate document (scripts/prerender.mjs), in a folder that is not public. */
const prerendered: Readonly<Record<string, string>> = {
  [routes.home.path]: 'home',
  [routes.auth.path]: 'auth',
  [routes.dashboard.path]: 'dashboard',
  [routes.link.path]: 'link',
  [routes.analytics.path]: 'analytics',
}

/** Serves the built single-page app: its document on each of its routes, and its static files. Other paths are 404. */
export function createWebApp(
  context: Pick<Context, 'config' | 'installation' | 'tokens' | 'visits'>,
  folder: string,
): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const { hasPlans } = context.installation
  const fill = (html: string) => fillDocument(html, context)
  /** A document with plans, and one without. */
  const inBoth = (pathOf: (folder: string) => string) => {
    const [withPlans, without] = ['', '/without-plans'].map((part) =>
      cachedDocument(pathOf(part), fill),
    )
    return () => (hasPlans() ? withPlans : without)?.() ?? Promise.resolve('')
  }
  const empty = inBoth(() => `${folder}/index.html`)
  // Prerendered screens of visitors have the password form, or offer it.
  const { passwords, providers } = context.config.auth
  const isPlain = passwords && !providers.some(({ isAutomatic }) => isAutomatic)
  const ofVisitors: string[] = [routes.home.path, routes.auth.path]
  const prerenderedOf = (path: string) => {
    const name = isPlain || !ofVisitors.includes(path) ? prerendered[path] : undefined
    const pathOf = (part: string) => `${folder}/.documents${part}/${name}.html`
    return name !== undefined && existsSync(pathOf('')) ? inBoth(pathOf) : empty
  }
  const isHidden = (path: string) => !hasPlans() && routesOfPlans.includes(path)

  const serve = (at: string, path: string, document: typeof empty) => {
    app.get(at.replaceAll('$', ':'), async (c, next) => {
      const isOutside = at !== path && splitSpacePath(c.req.path).slug === undefined
      if (isHidden(path) || isOutside) return next()
      c.header('Content-Security-Policy', appPolicy(context.config.auth.captcha?.provider))
      c.header('Cache-Control', 'no-cache')
      const code = c.req.param('code')
      // A prerendered page has the server's own host.
      const isPrerendered = !asksForMore(path, c.req.query()) && code?.includes('~') !== true
      const html = await (isPrerendered ? document : empty)()
      const filled = code === undefined ? html : fillCode(html, normalizeShortCode(code))
      const { body, headers } = await compressBody(filled, c.req.header('accept-encoding') ?? null)
      c.header('Content-Type', 'text/html; charset=UTF-8')
      return c.body(body, 200, headers)
    })
  }
  for (const path of appRoutePaths) serve(path, path, prerenderedOf(path))
  // The addresses in a prerendered screen are those of one's own account.
  for (const path of spaceRoutePaths) serve(pathInSpace('$space', path), path, empty)
  // The raw document is not served: it is only complete with its placeholders filled in.
  app.get('/index.html', (c) => c.redirect('/', 301))
  // Feed readers, old browsers and home screens of iPhones ask for these without reading the page.
  for (const icon of ['favicon.ico', 'apple-touch-icon.png', 'apple-touch-icon-precomposed.png'])
    app.get(`/${icon}`, (c) => c.redirect('/icon-192.png', 301))
  app.use('*', serveFiles(folder))
  app.all('*', async (c) => {
    const path = c.req.path.replace(/\/+$/, '') || '/'
    if (isAppPath(path) && !isHidden(splitSpacePath(path).path)) {
      if (!isRead(c.req)) return c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' })
      return c.redirect(`${path}${new URL(c.req.url).search}`, 301)
    }
    const visited = isRead(c.req) && (await context.visits.handleMended(c.env.incoming))
    if (visited) return asResponse(visited)
    const { html, policy } = notFoundPage(context.config.publicUrl)
    c.header('Content-Security-Policy', policy)
    c.header('Cache-Control', 'no-store')
    return c.html(html, 404)
  })
  return app
}

const isRead = ({ method }: { method: string }) => method === 'GET' || method === 'HEAD'

/** Whether an address of the sign-in means another form than the one that is prerendered, or is a return from a mailed link. */
function asksForMore(path: string, query: Record<string, string>): boolean {
  return path === routes.auth.path && Object.keys(query).some((name) => name !== 'next')
}

function fillCode(html: string, code: string): string {
  return html.replaceAll('%HOPLET_CODE%', () => escapeMarkup(code))
}

/**
 * Fills this server's settings into the document of the web app (web/site.ts reads them).
 *
 * @public used by `npm run dev`
 */
export function fillDocument(
  html: string,
  context: Pick<Context, 'config' | 'installation' | 'tokens'>,
): string {
  const { auth, linksUrl, payments, publicUrl } = context.config
  const automatic = auth.providers.find(({ isAutomatic }) => isAutomatic)
  const prices = payments && pricesOf(payments)
  return html
    .replaceAll('%HOPLET_ANON_KEY%', context.tokens.anonKey)
    .replaceAll('%HOPLET_PUBLIC_URL%', publicUrl)
    .replaceAll('%HOPLET_LINKS_URL%', linksUrl)
    .replaceAll('%HOPLET_HOST%', readableHost(linksUrl))
    .replaceAll('%HOPLET_CONTACT%', escapeMarkup(context.config.contact ?? ''))
    .replaceAll('%HOPLET_VERSION%', manifest.version)
    .replaceAll('%HOPLET_PLANS%', context.installation.hasPlans() ? 'on' : 'off')
    .replaceAll('%HOPLET_PASSWORDS%', auth.passwords ? 'on' : 'off')
    .replaceAll('%HOPLET_AUTO_PROVIDER%', automatic?.id ?? '')
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
