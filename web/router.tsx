import { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { routes, settingsTabs, type SettingsTab } from '#domain/routes.ts'
import { hasLeftAdmin } from './session/admin-exit.ts'
import { adminQuery } from './session/role.ts'
import { readNextPage } from './session/next-page.ts'
import { signedInUserId } from './session/session.ts'
import { readLinksView } from './features/admin/links/links-view.ts'
import { readUsersView } from './features/admin/users/users-view.ts'
import { HomeScreen } from './features/links/home-screen.tsx'
import { AppShell } from './shell/app-shell.tsx'
import { ErrorScreen } from './shell/error-screen.tsx'
import { NotFoundScreen } from './shell/not-found-screen.tsx'
import { Loading } from './ui/mark.tsx'

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 10_000 } },
})

// Guards. They only choose a screen: what a person may read or do is decided by the server.

async function isAdmin(userId: string): Promise<boolean> {
  try {
    return await queryClient.ensureQueryData(adminQuery(userId))
  } catch (error) {
    // The session turned out to be dead while we asked.
    if ((await signedInUserId()) === null) throw redirect({ to: routes.auth.path })
    throw error
  }
}

async function signedInOnly(): Promise<string> {
  const userId = await signedInUserId()
  if (userId === null) throw redirect({ to: routes.auth.path })
  return userId
}

async function peopleOnly(): Promise<void> {
  const userId = await signedInOnly()
  if ((await isAdmin(userId)) && !hasLeftAdmin(userId)) throw redirect({ to: routes.admin.path })
}

async function adminsOnly(): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null || !(await isAdmin(userId))) throw redirect({ to: routes.home.path })
}

async function signedOutOnly({ search }: { search: { next?: string } }): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null) return
  const next = readNextPage(search.next)
  if (next !== undefined) throw redirect({ href: next })
  throw redirect({ to: (await isAdmin(userId)) ? routes.admin.path : routes.dashboard.path })
}

const root = createRootRoute({ component: AppShell, notFoundComponent: NotFoundScreen })
const inRoot = { getParentRoute: () => root }

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** Of a link that another browser has asked for. */
const opened = ({ opened: where }: Record<string, unknown>): { opened?: 'elsewhere' } =>
  where === 'elsewhere' ? { opened: where } : {}

const home = createRoute({ ...inRoot, path: routes.home.path, component: HomeScreen })

const auth = createRoute({
  ...inRoot,
  path: routes.auth.path,
  beforeLoad: signedOutOnly,
  validateSearch: (
    search,
  ): { ref?: string; mode?: 'sign-up'; next?: string; opened?: 'elsewhere' } => ({
    ...opened(search),
    ...(text(search['ref']) === undefined ? {} : { ref: String(search['ref']) }),
    ...(search['mode'] === 'sign-up' ? { mode: 'sign-up' } : {}),
    ...(typeof search['next'] === 'string' ? { next: search['next'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./features/auth/auth-screen.tsx'), 'AuthScreen'),
})

const forgotPassword = createRoute({
  ...inRoot,
  path: routes.forgotPassword.path,
  component: lazyRouteComponent(() => import('./features/auth/forgot-screen.tsx'), 'ForgotScreen'),
})

// For whoever a mailed link has just signed in; the screen itself says so when it has not.
const resetPassword = createRoute({
  ...inRoot,
  path: routes.resetPassword.path,
  // `code`: what the link has brought is still being traded for a session (session/sign-in-completion.ts).
  validateSearch: (search): { opened?: 'elsewhere'; code?: unknown } => ({
    ...opened(search),
    ...('code' in search ? { code: search['code'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./features/auth/reset-screen.tsx'), 'ResetScreen'),
})

const dashboard = createRoute({
  ...inRoot,
  path: routes.dashboard.path,
  beforeLoad: peopleOnly,
  validateSearch: (search): { q?: string } => {
    const q = text(search['q'])
    return q === undefined || q === '' ? {} : { q }
  },
  component: lazyRouteComponent(
    () => import('./features/links/my-links-screen.tsx'),
    'MyLinksScreen',
  ),
})

const bioLink = createRoute({
  ...inRoot,
  path: routes.bioLink.path,
  beforeLoad: signedInGuard,
  component: lazyRouteComponent(
    () => import('./features/bio/bio-link-screen.tsx'),
    'BioLinkScreen',
  ),
})

const popupGenerator = createRoute({
  ...inRoot,
  path: routes.popupGenerator.path,
  beforeLoad: signedInGuard,
  validateSearch: (search): { edit?: string } => {
    const edit = text(search['edit'])
    return edit === undefined || edit === '' ? {} : { edit }
  },
  component: lazyRouteComponent(
    () => import('./features/popups/popup-generator-screen.tsx'),
    'PopupGeneratorScreen',
  ),
})

const myPopups = createRoute({
  ...inRoot,
  path: routes.myPopups.path,
  beforeLoad: signedInGuard,
  component: lazyRouteComponent(
    () => import('./features/popups/my-popups-screen.tsx'),
    'MyPopupsScreen',
  ),
})

const upgrade = createRoute({
  ...inRoot,
  path: routes.upgrade.path,
  validateSearch: (search): { success?: true } =>
    search['success'] === true || search['success'] === 'true' ? { success: true } : {},
  component: lazyRouteComponent(
    () => import('./features/plans/upgrade-screen.tsx'),
    'UpgradeScreen',
  ),
})

const affiliates = createRoute({
  ...inRoot,
  path: routes.affiliates.path,
  beforeLoad: signedInGuard,
  component: lazyRouteComponent(
    () => import('./features/affiliates/affiliates-screen.tsx'),
    'AffiliatesScreen',
  ),
})

const adminScreens = [
  createRoute({
    ...inRoot,
    path: routes.admin.path,
    beforeLoad: adminsOnly,
    component: lazyRouteComponent(
      () => import('./features/admin/dashboard/admin-dashboard-screen.tsx'),
      'AdminDashboardScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminUsers.path,
    beforeLoad: adminsOnly,
    validateSearch: readUsersView,
    component: lazyRouteComponent(
      () => import('./features/admin/users/users-screen.tsx'),
      'UsersScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminLinks.path,
    beforeLoad: adminsOnly,
    validateSearch: readLinksView,
    component: lazyRouteComponent(
      () => import('./features/admin/links/links-screen.tsx'),
      'LinksScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminReports.path,
    beforeLoad: adminsOnly,
    component: lazyRouteComponent(
      () => import('./features/admin/reports/reports-screen.tsx'),
      'ReportsScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminPayouts.path,
    beforeLoad: adminsOnly,
    component: lazyRouteComponent(
      () => import('./features/admin/payouts/payouts-screen.tsx'),
      'PayoutsScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminAudit.path,
    beforeLoad: adminsOnly,
    component: lazyRouteComponent(
      () => import('./features/admin/audit/audit-screen.tsx'),
      'AuditScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminSystem.path,
    beforeLoad: adminsOnly,
    component: lazyRouteComponent(
      () => import('./features/admin/system/system-screen.tsx'),
      'SystemScreen',
    ),
  }),
] as const

const notFound = createRoute({ ...inRoot, path: routes.notFound.path, component: NotFoundScreen })

const settings = createRoute({
  ...inRoot,
  path: routes.settings.path,
  beforeLoad: signedInGuard,
  validateSearch: (search): { tab?: SettingsTab } => {
    const tab = settingsTabs.find((name) => name === search['tab'])
    return tab === undefined ? {} : { tab }
  },
  component: lazyRouteComponent(
    () => import('./features/settings/settings-screen.tsx'),
    'SettingsScreen',
  ),
})

const oauthConsent = createRoute({
  ...inRoot,
  path: routes.oauthConsent.path,
  validateSearch: (search): { authorization_id?: string } => {
    const id = text(search['authorization_id'])
    return id === undefined ? {} : { authorization_id: id }
  },
  beforeLoad: async ({ search }) => {
    if ((await signedInUserId()) !== null) return
    throw redirect({ to: routes.auth.path, search: { next: routes.oauthConsent.href(search) } })
  },
  component: lazyRouteComponent(
    () => import('./features/oauth/consent-screen.tsx'),
    'ConsentScreen',
  ),
})

async function signedInGuard(): Promise<void> {
  await signedInOnly()
}

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    auth,
    forgotPassword,
    resetPassword,
    dashboard,
    bioLink,
    popupGenerator,
    myPopups,
    upgrade,
    affiliates,
    ...adminScreens,
    notFound,
    settings,
    oauthConsent,
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading label="Loading" />,
  defaultPendingMs: 300,
  defaultErrorComponent: ErrorScreen,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
