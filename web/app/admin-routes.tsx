import { createRoute } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { readLinksView } from '../features/admin/links/links-view.ts'
import { readUsersView } from '../features/admin/users/users-view.ts'
import { adminsOnly } from './guards.ts'
import { lazyScreen } from './lazy-screen.ts'
import { ifPlans, inRoot } from './root-route.ts'
import { titled, titledForAdmins } from './route-options.tsx'

export const adminScreens = [
  createRoute({
    ...inRoot,
    ...titled('Admin'),
    path: routes.admin.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('../features/admin/dashboard/admin-dashboard-screen.tsx'),
      'AdminDashboardScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('User Management'),
    path: routes.adminUsers.path,
    beforeLoad: adminsOnly,
    validateSearch: readUsersView,
    component: lazyScreen(() => import('../features/admin/users/users-screen.tsx'), 'UsersScreen'),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('Links'),
    path: routes.adminLinks.path,
    beforeLoad: adminsOnly,
    validateSearch: readLinksView,
    component: lazyScreen(() => import('../features/admin/links/links-screen.tsx'), 'LinksScreen'),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('Missing Codes'),
    path: routes.adminMissedCodes.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('../features/admin/missed-codes/missed-codes-screen.tsx'),
      'AllMissedCodesScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('Reports'),
    path: routes.adminReports.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('../features/admin/reports/reports-screen.tsx'),
      'ReportsScreen',
    ),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('Payouts'),
    path: routes.adminPayouts.path,
    beforeLoad: adminsOnly,
    component: ifPlans(
      lazyScreen(() => import('../features/admin/payouts/payouts-screen.tsx'), 'PayoutsScreen'),
    ),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('Audit Log'),
    path: routes.adminAudit.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(() => import('../features/admin/audit/audit-screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    ...inRoot,
    ...titledForAdmins('System Status'),
    path: routes.adminSystem.path,
    beforeLoad: adminsOnly,
    component: lazyScreen(
      () => import('../features/admin/system/system-screen.tsx'),
      'SystemScreen',
    ),
  }),
] as const
