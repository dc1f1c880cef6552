import { createRoute, createRouter } from '@tanstack/react-router'
import {
  type ReferencePart,
  referenceParts,
  routes,
  settingsTabs,
  spaceSettingsTabs,
  type SpaceSettingsTab,
  type SettingsTab,
} from '#domain/routes.ts'
import { nameInAddress, nameOfAddress } from '#domain/links/link-address.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { queryClient } from '../api/query-client.ts'
import { signedInUserId } from '../session/session.ts'
import { adminScreens } from './admin-routes.tsx'
import { readAnalyticsView, readReportView } from '../features/analytics/report-view.ts'
import { HomeScreen } from '../features/links/home/home-screen.tsx'
import { LinkListSkeleton } from '../features/links/list/link-list-skeleton.tsx'
import { type ListView, readListView } from '../features/links/list/list-view.ts'
import {
  membersOnly,
  peopleOnly,
  shortenersOnly,
  signedInOnly,
  signedOutOnly,
  withPasswordsOnly,
} from './guards.ts'
import { forRight } from './for-right.tsx'
import { lazyScreen } from './lazy-screen.ts'
import { ifPlans, inRoot, LazyNotFound, root } from './root-route.ts'
import { opened, text, titled } from './route-options.tsx'
import { UntitledErrorScreen } from '../shell/error-screen.tsx'
import { readSharedPage, type SharedPage } from './shared-page.ts'
import { spaceRewrite, spaceSlug } from '../space.ts'
import { Loading } from '../ui/mark.tsx'

const home = createRoute({
  ...inRoot,
  path: routes.home.path,
  beforeLoad: shortenersOnly,
  component: HomeScreen,
})

const isSet = (given: unknown) => given === true || given === 'true'

const auth = createRoute({
  ...inRoot,
  path: routes.auth.path,
  beforeLoad: signedOutOnly,
  validateSearch: (
    search,
  ): {
    ref?: string
    mode?: 'sign-up'
    next?: string
    opened?: 'elsewhere'
    failed?: true
    again?: true
  } => ({
    ...opened(search),
    ...(text(search['ref']) === undefined ? {} : { ref: String(search['ref']) }),
    ...(search['mode'] === 'sign-up' ? { mode: 'sign-up' } : {}),
    ...(typeof search['next'] === 'string' ? { next: search['next'] } : {}),
    ...(isSet(search['failed']) ? { failed: true } : {}),
    ...(isSet(search['again']) ? { again: true } : {}),
  }),
  // Ways in that came later would push others away under a press.
  loader: () =>
    import('../session/sign-in-options.ts').then(
      ({ loadSignInOptions }) => loadSignInOptions(),
      () => {},
    ),
  component: lazyScreen(() => import('../features/auth/auth-screen.tsx'), 'AuthScreen'),
})

const forgotPassword = createRoute({
  ...inRoot,
  path: routes.forgotPassword.path,
  beforeLoad: withPasswordsOnly,
  component: lazyScreen(() => import('../features/auth/forgot-screen.tsx'), 'ForgotScreen'),
})

// A mailed link has just signed the person in; the screen itself says so when it has not.
const resetPassword = createRoute({
  ...inRoot,
  path: routes.resetPassword.path,
  beforeLoad: withPasswordsOnly,
  // `code`: the code of the link is still being exchanged for a session (session/sign-in-completion.ts).
  validateSearch: (search): { opened?: 'elsewhere'; code?: unknown } => ({
    ...opened(search),
    ...('code' in search ? { code: search['code'] } : {}),
  }),
  component: lazyScreen(() => import('../features/auth/reset-screen.tsx'), 'ResetScreen'),
})

const invitation = createRoute({
  ...inRoot,
  path: routes.invitation.path,
  component: lazyScreen(() => import('../features/auth/invitation-screen.tsx'), 'InvitationScreen'),
})

const dashboard = createRoute({
  ...inRoot,
  ...titled('My Links', { content: <LinkListSkeleton label="Loading your links" /> }),
  path: routes.dashboard.path,
  beforeLoad: peopleOnly,
  validateSearch: (search): ListView & SharedPage => ({
    ...readListView(search),
    ...readSharedPage(search),
  }),
  component: lazyScreen(
    () => import('../features/links/list/my-links-screen.tsx'),
    'MyLinksScreen',
  ),
})

const missedCodes = createRoute({
  ...inRoot,
  ...titled('Missing codes'),
  path: routes.missedCodes.path,
  beforeLoad: peopleOnly,
  component: lazyScreen(
    () => import('../missed-codes/missed-codes-screen.tsx'),
    'MissedCodesScreen',
  ),
})

const imports = createRoute({
  ...inRoot,
  ...titled('Import'),
  path: routes.imports.path,
  beforeLoad: peopleOnly,
  validateSearch: (search): { id?: string } => {
    const id = text(search['id'])
    return id === undefined || id === '' ? {} : { id }
  },
  component: forRight(
    'links:write',
    lazyScreen(() => import('../features/transfer/import-screen.tsx'), 'ImportScreen'),
  ),
})

const linkHealth = createRoute({
  ...inRoot,
  ...titled('Health of destinations'),
  path: routes.linkHealth.path,
  beforeLoad: peopleOnly,
  component: lazyScreen(
    () => import('../features/links/health/health-screen.tsx'),
    'LinkHealthScreen',
  ),
})

/** Asks for the row of a link while the scripts of its page load; the page says when it does not come. */
async function readLink(code: string): Promise<void> {
  const [userId, { linkQuery }] = await Promise.all([
    signedInUserId(),
    import('../features/links/page/link-query.ts'),
  ])
  if (userId === null) return
  const query = linkQuery(queryClient, userId, normalizeShortCode(code))
  // Once: a changed period of the report is another navigation.
  if (queryClient.getQueryState(query.queryKey) === undefined)
    await queryClient.prefetchQuery(query)
}

const link = createRoute({
  ...inRoot,
  ...titled('My Links'),
  path: routes.link.path,
  params: {
    parse: ({ code }) => ({ code: nameOfAddress(code) }),
    stringify: ({ code }) => ({ code: nameInAddress(code) }),
  },
  beforeLoad: (guarded) => {
    if (!guarded.preload) void readLink(guarded.params.code).catch(() => {})
    return peopleOnly(guarded)
  },
  validateSearch: readReportView,
  component: lazyScreen(() => import('../features/links/page/link-screen.tsx'), 'LinkScreen'),
})

const analytics = createRoute({
  ...inRoot,
  ...titled('Analytics'),
  path: routes.analytics.path,
  beforeLoad: signedInOnly,
  validateSearch: readAnalyticsView,
  component: lazyScreen(
    () => import('../features/analytics/analytics-screen.tsx'),
    'AnalyticsScreen',
  ),
})

const qrStudio = createRoute({
  ...inRoot,
  ...titled('QR code'),
  path: routes.qrStudio.path,
  beforeLoad: signedInOnly,
  validateSearch: ({ link, page }: Record<string, unknown>): { link?: string; page?: string } => ({
    // The router reads a code of digits as a number.
    ...(typeof link === 'string' || typeof link === 'number' ? { link: String(link) } : {}),
    ...(page === undefined ? {} : { page: '1' }),
  }),
  component: lazyScreen(() => import('../features/qr/studio-screen.tsx'), 'StudioScreen'),
})

const bioLink = createRoute({
  ...inRoot,
  ...titled('Bio Link'),
  path: routes.bioLink.path,
  beforeLoad: signedInOnly,
  component: lazyScreen(() => import('../features/bio/bio-link-screen.tsx'), 'BioLinkScreen'),
})

const popupGenerator = createRoute({
  ...inRoot,
  path: routes.popupGenerator.path,
  beforeLoad: signedInOnly,
  validateSearch: (search): { edit?: string } => {
    const edit = text(search['edit'])
    return edit === undefined || edit === '' ? {} : { edit }
  },
  component: forRight(
    'popups:write',
    lazyScreen(
      () => import('../features/popups/popup-generator-screen.tsx'),
      'PopupGeneratorScreen',
    ),
  ),
})

const myPopups = createRoute({
  ...inRoot,
  ...titled('My Popups'),
  path: routes.myPopups.path,
  beforeLoad: signedInOnly,
  component: lazyScreen(() => import('../features/popups/my-popups-screen.tsx'), 'MyPopupsScreen'),
})

const popupResults = createRoute({
  ...inRoot,
  ...titled('Results'),
  path: routes.popupResults.path,
  beforeLoad: signedInOnly,
  component: lazyScreen(
    () => import('../features/popups/results/results-screen.tsx'),
    'PopupResultsScreen',
  ),
})

const audience = createRoute({
  ...inRoot,
  ...titled('Audience'),
  path: routes.audience.path,
  beforeLoad: signedInOnly,
  component: forRight(
    'leads:read',
    lazyScreen(() => import('../features/audience/audience-screen.tsx'), 'AudienceScreen'),
  ),
})

const upgrade = createRoute({
  ...inRoot,
  ...titled('Choose your plan'),
  path: routes.upgrade.path,
  beforeLoad: membersOnly,
  validateSearch: (search): { success?: true } =>
    isSet(search['success']) ? { success: true } : {},
  component: forRight(
    'owner',
    ifPlans(lazyScreen(() => import('../features/plans/upgrade-screen.tsx'), 'UpgradeScreen')),
  ),
})

const affiliates = createRoute({
  ...inRoot,
  ...titled('Affiliates'),
  path: routes.affiliates.path,
  beforeLoad: signedInOnly,
  component: ifPlans(
    lazyScreen(() => import('../features/affiliates/affiliates-screen.tsx'), 'AffiliatesScreen'),
  ),
})

const notFound = createRoute({ ...inRoot, path: routes.notFound.path, component: LazyNotFound })

const settings = createRoute({
  ...inRoot,
  ...titled('Settings'),
  path: routes.settings.path,
  beforeLoad: signedInOnly,
  validateSearch: (search): { tab?: SettingsTab | SpaceSettingsTab; webhook?: string } => {
    const tabs = spaceSlug === undefined ? settingsTabs : spaceSettingsTabs
    const tab = tabs.find((name) => name === search['tab'])
    const webhook = tab === 'webhooks' ? text(search['webhook']) : undefined
    return { ...(tab && { tab }), ...(webhook !== undefined && { webhook }) }
  },
  component:
    spaceSlug === undefined
      ? lazyScreen(() => import('../features/settings/settings-screen.tsx'), 'SettingsScreen')
      : lazyScreen(
          () => import('../features/settings/space/space-settings-screen.tsx'),
          'SpaceSettingsScreen',
        ),
})

const oauthConsent = createRoute({
  ...inRoot,
  path: routes.oauthConsent.path,
  validateSearch: (search): { authorization_id?: string } => {
    const id = text(search['authorization_id'])
    return id === undefined ? {} : { authorization_id: id }
  },
  beforeLoad: signedInOnly,
  component: lazyScreen(() => import('../features/oauth/consent-screen.tsx'), 'ConsentScreen'),
})

const help = createRoute({
  ...inRoot,
  ...titled('Help'),
  path: routes.help.path,
  component: lazyScreen(() => import('../features/help/help-screen.tsx'), 'HelpScreen'),
})

const reference = createRoute({
  ...inRoot,
  ...titled('API Reference'),
  path: routes.reference.path,
  validateSearch: (search): { part?: ReferencePart } => {
    const part = referenceParts.find((name) => name === search['part'])
    return part === undefined ? {} : { part }
  },
  component: lazyScreen(
    () => import('../features/reference/reference-screen.tsx'),
    'ReferenceScreen',
  ),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    auth,
    forgotPassword,
    resetPassword,
    invitation,
    dashboard,
    missedCodes,
    imports,
    linkHealth,
    link,
    analytics,
    qrStudio,
    bioLink,
    popupGenerator,
    myPopups,
    popupResults,
    audience,
    upgrade,
    affiliates,
    ...adminScreens,
    notFound,
    settings,
    oauthConsent,
    help,
    reference,
  ]),
  ...(spaceRewrite && { rewrite: spaceRewrite }),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading label="Loading" />,
  defaultPendingMs: 300,
  defaultErrorComponent: UntitledErrorScreen,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
