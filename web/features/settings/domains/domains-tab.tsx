import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Globe, Plus } from 'lucide-react'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { domainNotices, domainTexts } from '#domain/texts/domain-texts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { useKeptRight } from '#web/session/space/rights.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { settingsCards } from '../settings-parts.ts'
import type { TabProps } from '../settings-section.tsx'
import { SettingsSkeleton } from '../settings-skeleton.tsx'
import { AddDomainDialog } from './add-domain-dialog.tsx'
import { DomainCard } from './domain-card.tsx'
import { DomainTargetsDialog } from './domain-targets-dialog.tsx'
import { type DomainQuestion, domainsQuery } from './domains-query.ts'
import { RemoveDomainDialog } from './remove-domain-dialog.tsx'

/** The hosts of the account. Only owners change them. */
export function DomainsTab({ userId }: Pick<TabProps, 'userId'>) {
  const isOwner = useKeptRight('owner')
  const query = useQuery(domainsQuery(userId))
  const [isAdding, setAdding] = useState(false)
  const [question, setQuestion] = useState<DomainQuestion>()
  const close = () => setQuestion(undefined)
  const add = (
    <Button look="ink" onClick={() => setAdding(true)}>
      <Plus size={18} aria-hidden />
      Add a domain
    </Button>
  )
  return (
    <QueryPanel
      query={query}
      loading={null}
      skeleton={<SettingsSkeleton tab="domains" />}
      failed={domainNotices.listFailed}
    >
      {(domains) => (
        <section aria-labelledby="domains-title">
          <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
            <div>
              <h2 id="domains-title" className="font-semibold">
                {settingsCards.domains.domains}
              </h2>
              <DomainCount userId={userId} count={domains.length} isOwner={isOwner} />
            </div>
            {isOwner && domains.length > 0 ? add : null}
          </div>
          {domains.length === 0 ? (
            <StatePanel
              title="No domains"
              figure={<Globe size={32} aria-hidden className="text-ink-faint" />}
              action={isOwner ? add : undefined}
            >
              {isOwner ? domainTexts.empty : domainTexts.emptyForMembers}
            </StatePanel>
          ) : (
            <ul className="grid gap-3.5">
              {domains.map((domain) => (
                <li key={domain.id}>
                  <DomainCard {...{ userId, domain, isOwner }} onAsk={setQuestion} />
                </li>
              ))}
            </ul>
          )}
          <AddDomainDialog userId={userId} open={isAdding} onClose={() => setAdding(false)} />
          <DomainTargetsDialog
            userId={userId}
            domain={question?.kind === 'targets' ? question.domain : undefined}
            onClose={close}
          />
          <RemoveDomainDialog
            userId={userId}
            domain={question?.kind === 'remove' ? question.domain : undefined}
            onClose={close}
          />
        </section>
      )}
    </QueryPanel>
  )
}

interface DomainCountProps {
  userId: string
  count: number
  isOwner: boolean
}

/** How many domains the plan allows, and the way to more. */
function DomainCount({ userId, count, isOwner }: DomainCountProps) {
  const plan = usePlan(userId)
  if (plan === undefined) return <p className="text-sm text-ink-soft">{domainTexts.intro}</p>
  const { domains: most } = plan.limits
  const isFull = count >= most && plan.standing !== 'unknown'
  return (
    <p className="text-sm text-ink-soft tabular-nums">
      {domainTexts.intro} {count} of {most.toLocaleString('en-US')}.{' '}
      {isFull && isOwner && site.hasPlans && plan.plan !== 'business' ? (
        <Link
          to={routes.upgrade.path}
          className="font-medium text-accent-text underline underline-offset-4"
        >
          Upgrade for more
        </Link>
      ) : null}
    </p>
  )
}
