import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { routes } from '#domain/routes.ts'
import { sessionKey } from '../session/loaded-auth.ts'

// Runs once, at the end of the build (scripts/prerender.mjs), so that screens that people arrive at stand before any script.
// main.tsx replaces them.

/** Texts that a host and a short code may have, in the place of those that the server fills in. */
const placeholders = { host: 'hoplet-host.invalid', code: 'hoplet-code' }

let storesSession = false
standInForBrowser()
// Some modules look at the browser when they are loaded.
const { AppShell } = await import('../shell/app-shell.tsx')
const { AnalyticsScreen } = await import('../features/analytics/analytics-screen.tsx')
const { AuthScreen } = await import('../features/auth/auth-screen.tsx')
const { HomeScreen } = await import('../features/links/home/home-screen.tsx')
const { LinkScreen } = await import('../features/links/page/link-screen.tsx')
const { site } = await import('../site.ts')
const { MyLinksScreen } = await import('../features/links/list/my-links-screen.tsx')

const root = createRootRoute({ component: AppShell })
const inRoot = { getParentRoute: () => root }
const routeTree = root.addChildren([
  createRoute({ ...inRoot, path: routes.home.path, component: HomeScreen }),
  createRoute({ ...inRoot, path: routes.auth.path, component: AuthScreen }),
  createRoute({ ...inRoot, path: routes.dashboard.path, component: MyLinksScreen }),
  createRoute({ ...inRoot, path: routes.link.path, component: LinkScreen }),
  createRoute({ ...inRoot, path: routes.analytics.path, component: AnalyticsScreen }),
])

/**
 * The markup of a screen, without a host or a code: the server fills them in.
 *
 * @param isMember the screen of a browser that holds a session, before the session is known; else that of a visitor
 */
export async function prerender(
  path: string,
  { isMember, hasPlans }: { isMember: boolean; hasPlans: boolean },
): Promise<string> {
  storesSession = isMember
  site.hasPlans = hasPlans
  const history = createMemoryHistory({ initialEntries: [path] })
  const router = createRouter({ routeTree, history })
  await router.load()
  return forTheServer(
    renderToString(
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  )
}

/** The path of a link's page. */
export const linkPath = routes.link.href({ code: placeholders.code })

/** The content security policy allows no styles in attributes; the screens need none before their script. */
function forTheServer(text: string): string {
  return text
    .replaceAll(placeholders.host, '%HOPLET_HOST%')
    .replaceAll(placeholders.code, '%HOPLET_CODE%')
    .replaceAll(/ style="[^"]*"/g, '')
}

/** As much of a browser as the modules of the screens look at: one that has stored nothing but a session. */
function standInForBrowser(): void {
  const ignore = () => {}
  const target = { addEventListener: ignore, removeEventListener: ignore }
  const contents: Record<string, string> = { 'hoplet-public-url': `https://${placeholders.host}` }
  const document = {
    ...target,
    documentElement: { classList: { toggle: ignore } },
    querySelector: (selector: string) => {
      const content = contents[/"(.*)"/.exec(selector)?.[1] ?? '']
      return content === undefined ? null : { content, setAttribute: ignore }
    },
  }
  const location = { origin: `https://${placeholders.host}`, pathname: '/', search: '', hash: '' }
  const session = JSON.stringify({ access_token: 'any' })
  const getItem = (key: string) => (storesSession && key === sessionKey ? session : null)
  const stored = { getItem, setItem: ignore, removeItem: ignore }
  const window = {
    ...target,
    location,
    matchMedia: () => ({ ...target, matches: false }),
  }
  for (const [name, value] of Object.entries({
    window,
    document,
    location,
    localStorage: stored,
    sessionStorage: stored,
    navigator: { userAgent: '', onLine: true },
    CSS: { supports: () => true },
    BroadcastChannel: class {
      addEventListener = ignore
      postMessage = ignore
    },
  }))
    Object.defineProperty(globalThis, name, { value, configurable: true })
}
