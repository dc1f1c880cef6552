import { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { sessionEndedNotice } from '#domain/account-texts.ts'
import { routes, settingsTabs, type SettingsTab } from '#domain/routes.ts'
import { hasLeftAdmin } from './session/admin-exit.ts'
import { adminQuery } from './session/role.ts'
import { readNextPage } from './session/next-page.ts'
import { giveUpEndedSession, signedInUserId, untilSessionEnds } from './session/session.ts'
import { readLinksView } from './features/admin/links/links-view.ts'
import { readUsersView } from './features/admin/users/users-view.ts'
import { HomeScreen } from './features/links/home-screen.tsx'
import { lazyScreen } from './lazy-screen.ts'
import { AppShell } from './shell/app-shell.tsx'
import { ErrorScreen } from './shell/error-screen.tsx'
import { NotFoundScreen } from './shell/not-found-screen.tsx'
import { Loading } from './ui/mark.tsx'
import { notifyError } from './ui/notify.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a request fails at once, and says so, instead of waiting for one without a word.
    queries: { retry: 1, staleTime: 10_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { networkMode: 'always' },
  },
})

// Guards. They only choose a screen: what a person may read or do is decided by the server.

interface Guarded {
  /** Where the person wants to go. */
  location: { href: string }
}

async function isAdmin(userId: string, toSignIn: unknown): Promise<boolean> {
  const { ended, stop } = untilSessionEnds()
  try {
    return await Promise.race([queryClient.ensureQueryData(adminQuery(userId)), ended])
  } catch (error) {
    // The session turned out to be dead while we asked.
    if ((await signedInUserId()) === null) throw toSignIn
    throw error
  } finally {
    stop()
  }
}

function signInFor({ location }: Guarded) {
  return redirect({ to: routes.auth.path, search: { next: location.href } })
}

async function signedInOnly(guarded: Guarded): Promise<string> {
  const userId = await signedInUserId()
  if (userId === null) throw signInFor(guarded)
  return userId
}

async function peopleOnly(guarded: Guarded): Promise<void> {
  const userId = await signedInOnly(guarded)
  if ((await isAdmin(userId, signInFor(guarded))) && !hasLeftAdmin(userId))
    throw redirect({ to: routes.admin.path })
}

async function adminsOnly(guarded: Guarded): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null || !(await isAdmin(userId, signInFor(guarded))))
    throw redirect({ to: routes.home.path })
}

/** Leads people who are signed in on: to where they wanted to go, else admins to /admin and everyone else to My Links. */
async function signedOutOnly({
  search,
  preload,
}: {
  search: { next?: string }
  preload: boolean
}): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null) {
    if (!preload && giveUpEndedSession()) notifyError(sessionEndedNotice)
    return
  }
  const next = readNextPage(search.next)
  if (next !== undefined) throw redirect({ href: next })
  const isTheirs = await isAdmin(userId, undefined)
  throw redirect({ to: isTheirs ? routes.admin.path : routes.dashboard.path })
}

const root = createRootRoute({ component: AppShell, notFoundComponent: NotFoundScreen })
const inRoot = { getParentRoute: () => root }

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** The search parameter of a link that another browser has asked for. */
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
  component: lazyScreen(() => import('./features/auth/auth-screen.tsx'), 'AuthScreen'),
})

const forgotPassword = createRoute({
  ...inRoot,
  path: routes.forgotPassword.path,
  component: lazyScreen(() => import('./features/auth/forgot-screen.tsx'), 'ForgotScreen'),
})

// A mailed link has just signed the person in; the screen itself says so when it has not.
const resetPassword = createRoute({
  ...inRoot,
  path: routes.resetPassword.path,
  // `code`: what the link has brought is still being traded for a session (session/sign-in-completion.ts).
  validateSearch: (search): { opened?: 'elsewhere'; code?: unknown } => ({
    ...opened(search),
    ...('code' in search ? { code: search['code'] } : {}),
  }),
  component: lazyScreen(() => import('./features/auth/reset-screen.tsx'), 'ResetScreen'),
})

const dashboard = createRoute({
  ...inRoot,
  path: routes.dashboard.path,
  beforeLoad: peopleOnly,
  validateSearch: (search): { q?: string } => {
    const q = text(search['q'])
    return q === undefined || q === '' ? {} : { q }
  },
  component: lazyScreen(() => import('./features/links/my-links-screen.tsx'), 'MyLinksScreen'),
})

const bioLink = createRoute({
  ...inRoot,
  path: routes.bioLink.path,
  beforeLoad: signedInGuard,
  component: lazyScreen(() => import('./features/bio/bio-link-screen.tsx'), 'BioLinkScreen'),
})

const popupGenerator = createRoute({
  ...inRoot,
  path: routes.popupGenerator.path,
  beforeLoad: signedInGuard,
  validateSearch: (search): { edit?: string } => {
    const edit = text(search['edit'])
    return edit === undefined || edit === '' ? {} : { edit }
  },
  component: lazyScreen(
    () => import('./features/popups/popup-generator-screen.tsx'),
    'PopupGeneratorScreen',
  ),
})

const myPopups = createRoute({
  ...inRoot,
  path: routes.myPopups.path,
  beforeLoad: signedInGuard,
  component: lazyScreen(() => import('./features/popups/my-popups-screen.tsx'), 'MyPopupsScreen'),
})

const upgrade = createRoute({
  ...inRoot,
  path: routes.upgrade.path,
  validateSearch: (search): { success?: true } =>
    search['success'] === true || search['success'] === 'true' ? { success: true } : {},
  component: lazyScreen(() => import('./features/plans/upgrade-screen.tsx'), 'UpgradeScreen'),
})

const affiliates = createRoute({
  ...inRoot,
  path: routes.affiliates.path,
  beforeLoad: signedInGuard,
  component: lazyScreen(
    () => import('./features/affiliates/affiliates-screen.tsx'),
    'AffiliatesScreen',
  ),
})

const adminScreens = [
  createRoute({
    ...inRoot,
    path: routes.admin.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('./features/admin/dashboard/admin-dashboard-screen.tsx'),
      'AdminDashboardScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminUsers.path,
    beforeLoad: adminsOnly,
    validateSearch: readUsersView,
    component: lazyScreen(() => import('./features/admin/users/users-screen.tsx'), 'UsersScreen'),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminLinks.path,
    beforeLoad: adminsOnly,
    validateSearch: readLinksView,
    component: lazyScreen(() => import('./features/admin/links/links-screen.tsx'), 'LinksScreen'),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminReports.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('./features/admin/reports/reports-screen.tsx'),
      'ReportsScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminPayouts.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('./features/admin/payouts/payouts-screen.tsx'),
      'PayoutsScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminAudit.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(() => import('./features/admin/audit/audit-screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    ...inRoot,
    path: routes.adminSystem.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
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
  component: lazyScreen(() => import('./features/settings/settings-screen.tsx'), 'SettingsScreen'),
})

const oauthConsent = createRoute({
  ...inRoot,
  path: routes.oauthConsent.path,
  validateSearch: (search): { authorization_id?: string } => {
    const id = text(search['authorization_id'])
    return id === undefined ? {} : { authorization_id: id }
  },
  beforeLoad: signedInGuard,
  component: lazyScreen(() => import('./features/oauth/consent-screen.tsx'), 'ConsentScreen'),
})

async function signedInGuard(guarded: Guarded): Promise<void> {
  await signedInOnly(guarded)
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
