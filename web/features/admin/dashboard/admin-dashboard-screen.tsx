import { useQuery } from '@tanstack/react-query'
import { Activity, Flag, Globe, HandCoins, Link2Off, ScrollText, Users } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { missedCodeTexts, systemStatusCardText } from '#domain/texts.ts'
import { LastMonth } from './last-month.tsx'
import { AdminCard } from './admin-card.tsx'
import { AdminPage } from '../admin-page.tsx'
import { CardsSkeleton } from '../rows-skeleton.tsx'
import { summaryOf, systemStatusQuery } from '../system/system-status.ts'
import { usersQuery } from '../users/users-query.ts'
import { NeedsYou } from './needs-you.tsx'
import { counted, useDuePayouts, useNeeds, useOpenReports } from './needs.ts'
import { VerdictTag } from '../system/verdict-tag.tsx'

export function AdminDashboardScreen() {
  const { isSettled } = useNeeds()
  return (
    <AdminPage title="Admin" intro="This server and the people on it." isDashboard>
      <NeedsYou />
      {/* The parts below wait for it, or would be pushed by it. */}
      {isSettled ? (
        <>
          <LastMonth />
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
            <UsersCard />
            <SystemCard />
            <ReportsCard />
            <PayoutsCard />
            <AdminCard
              title="All Links"
              to={routes.adminLinks.path}
              Icon={Globe}
              text="Destinations, and blocks of links, hosts and users."
            />
            <AdminCard
              title="Missing Codes"
              to={routes.adminMissedCodes.path}
              Icon={Link2Off}
              text={missedCodeTexts.introOfAll}
            />
            <AdminCard
              title="Audit Log"
              to={routes.adminAudit.path}
              Icon={ScrollText}
              text="Everything that admins did, line by line."
            />
          </ul>
        </>
      ) : (
        <CardsSkeleton
          cards={7}
          className="mt-10 grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4"
        />
      )}
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
  const open = useOpenReports()
  return (
    <AdminCard
      title="Reports"
      to={routes.adminReports.path}
      Icon={Flag}
      text="What visitors reported about links and pages."
      state={open === undefined ? null : `${open} open`}
    />
  )
}

function PayoutsCard() {
  const due = useDuePayouts()
  return (
    <AdminCard
      title="Payouts"
      to={routes.adminPayouts.path}
      Icon={HandCoins}
      text="Pay affiliates, and decide what is held."
      state={due ?? (due === undefined ? null : 'Nothing due')}
    />
  )
}
