import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Activity, Flag, HandCoins, Link2, ScrollText, Users } from 'lucide-react'
import { dollars } from '#domain/money.ts'
import { routes } from '#domain/routes.ts'
import { systemStatusCardText } from '#domain/texts.ts'
import { AdminCard } from './admin-card.tsx'
import { AdminPage } from '../admin-page.tsx'
import { payoutsDueQuery } from '../payouts/payouts-query.ts'
import { reportsPerPage, reportsQuery } from '../reports/reports-query.ts'
import { summaryOf, systemStatusQuery } from '../system/system-status.ts'
import { usersQuery } from '../users/users-query.ts'
import { VerdictTag } from '../system/verdict-tag.tsx'

export function AdminDashboardScreen() {
  return (
    <AdminPage title="Admin" intro="This server and the people on it." isDashboard>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <UsersCard />
        <SystemCard />
        <ReportsCard />
        <PayoutsCard />
        <AdminCard
          title="Links"
          to={routes.adminLinks.path}
          Icon={Link2}
          text="Look up where links lead, block links, hosts and users."
        />
        <AdminCard
          title="Audit Log"
          to={routes.adminAudit.path}
          Icon={ScrollText}
          text="Everything that admins did, line by line."
        />
      </ul>
    </AdminPage>
  )
}

function UsersCard() {
  const total = useQuery(usersQuery({})).data?.total
  return (
    <AdminCard
      title="User Management"
      to={routes.adminUsers.path}
      Icon={Users}
      text="Change names, roles and plans, delete accounts."
      state={total === undefined ? null : counted(total, 'user')}
    />
  )
}

function SystemCard() {
  const { data, isError } = useQuery(systemStatusQuery)
  const summary = data === undefined ? undefined : summaryOf(data)
  return (
    <AdminCard
      title="System Status"
      to={routes.adminSystem.path}
      Icon={Activity}
      text={systemStatusCardText}
      state={
        isError ? (
          'The checks could not be run'
        ) : summary === undefined ? null : (
          <span className="flex flex-wrap items-center gap-2">
            <VerdictTag verdict={summary.verdict} />
            {summary.text}
          </span>
        )
      }
    />
  )
}

function ReportsCard() {
  const open = useInfiniteQuery(reportsQuery('open')).data?.pages[0]?.length
  return (
    <AdminCard
      title="Reports"
      to={routes.adminReports.path}
      Icon={Flag}
      text="What visitors reported about links and pages."
      state={
        open === undefined ? null : open >= reportsPerPage ? `${open} or more open` : `${open} open`
      }
      isWaiting={open !== undefined && open > 0}
    />
  )
}

function PayoutsCard() {
  const due = useQuery(payoutsDueQuery).data
  const cents = due?.reduce((sum, { due_cents }) => sum + due_cents, 0)
  return (
    <AdminCard
      title="Payouts"
      to={routes.adminPayouts.path}
      Icon={HandCoins}
      text="Pay affiliates, and decide what is held."
      state={
        due === undefined || cents === undefined
          ? null
          : due.length === 0
            ? 'Nothing due'
            : `${dollars(cents)} due to ${counted(due.length, 'affiliate')}`
      }
      isWaiting={due !== undefined && due.length > 0}
    />
  )
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}
