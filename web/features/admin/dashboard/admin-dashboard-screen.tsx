import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, type LucideIcon, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { systemStatusCardText } from '#domain/texts/admin-texts.ts'
import { LastMonth } from './last-month.tsx'
import { AdminPage } from '../admin-page.tsx'
import { CardsSkeleton } from '../rows-skeleton.tsx'
import { summaryOf, systemStatusQuery } from '../system/system-status.ts'
import { usersQuery } from '../users/users-query.ts'
import { NeedsYou } from './needs-you.tsx'
import { counted, useNeeds } from './needs.ts'
import { PlansChoice } from './plans-choice.tsx'
import { VerdictTag } from '../system/verdict-tag.tsx'

export function AdminDashboardScreen() {
  const { isSettled } = useNeeds()
  return (
    <AdminPage title="Admin" intro="This server and the people on it." isDashboard>
      <PlansChoice />
      <NeedsYou />
      {/* The parts below wait for it, or would be pushed by it. */}
      {isSettled ? (
        <>
          <LastMonth />
          <ul className="grid gap-4 sm:grid-cols-2">
            <Cards />
          </ul>
        </>
      ) : (
        <CardsSkeleton cards={2} className="mt-10 grid gap-4 sm:grid-cols-2" />
      )}
    </AdminPage>
  )
}

/** The cards of the specification; the sidebar leads to the other screens. */
function Cards() {
  const users = useQuery(usersQuery({})).data?.total
  const { data, isError } = useQuery(systemStatusQuery)
  const summary = data === undefined ? undefined : summaryOf(data)
  const cards: AdminCardProps[] = [
    {
      title: 'User Management',
      to: routes.adminUsers.path,
      Icon: Users,
      text: site.hasPlans
        ? 'Change names, roles and plans, delete accounts.'
        : 'Change names and roles, delete accounts.',
      state: users === undefined ? null : counted(users, 'user'),
    },
    {
      title: 'System Status',
      to: routes.adminSystem.path,
      Icon: Activity,
      text: systemStatusCardText,
      state: isError ? (
        'The checks could not be run'
      ) : summary === undefined ? null : (
        <span className="flex flex-wrap items-center gap-2">
          <VerdictTag verdict={summary.verdict} />
          {summary.text}
        </span>
      ),
    },
  ]
  return cards.map((card) => <AdminCard key={card.title} {...card} />)
}

interface AdminCardProps {
  title: string
  to: string
  Icon: LucideIcon
  text: string
  /** How things are right now; null while it is not known. */
  state?: ReactNode
}

/** A card of the dashboard; the whole card is the link. */
function AdminCard({ title, to, Icon, text, state }: AdminCardProps) {
  return (
    <li className="relative grid grid-rows-[auto_auto_1fr] gap-2 rounded-2xl border border-line bg-surface p-6 transition-colors duration-150 hover:border-edge">
      <Icon size={22} aria-hidden className="text-accent-text" />
      <div className="mt-2">
        <h2 className="text-base font-semibold tracking-tight">
          <Link to={to} className="after:absolute after:inset-0 after:rounded-2xl">
            {title}
          </Link>
        </h2>
        <p className="mt-1 text-ink-soft text-pretty">{text}</p>
      </div>
      {state === undefined ? null : (
        <p className="mt-2 min-h-7 self-end text-sm text-ink-soft tabular-nums">{state}</p>
      )}
    </li>
  )
}
