import { Link } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { useId, useState } from 'react'
import { routes } from '#domain/routes.ts'
import type { AccountDomain } from '#web/api/database.ts'
import { shownHost } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { DomainMenu } from './domain-menu.tsx'
import type { DomainQuestion } from './domains-query.ts'
import { CertificatePill, DnsPill, hasAllRecords } from './domain-pills.tsx'
import { DomainRecords } from './domain-records.tsx'
import { problemWords, targetWords } from './domain-words.ts'
import { type DomainCheck, useCheckDomain } from './use-check-domain.ts'

interface DomainCardProps {
  userId: string
  domain: AccountDomain
  isOwner: boolean
  onAsk: (question: DomainQuestion) => void
}

const numbers = new Intl.NumberFormat('en-US')

/** A domain: its state, its links, and the records of one that waits. */
export function DomainCard({ userId, domain, isOwner, onAsk }: DomainCardProps) {
  const id = useId()
  const isDone = domain.is_verified && hasAllRecords(domain)
  const [isShown, setShown] = useState(false)
  const check = useCheckDomain(userId, domain)
  const problem = problemWords(domain)
  return (
    <article aria-labelledby={id} className="rounded-2xl border border-line bg-surface p-4 sm:p-5">
      <div className="relative flex items-start justify-between gap-x-2.5">
        <div className="flex min-h-9 min-w-0 grow flex-wrap items-center gap-x-1.5 gap-y-2 sm:gap-x-2.5">
          <h3
            id={id}
            className="mr-1 font-mono text-lg wrap-anywhere max-sm:min-h-10 max-sm:basis-full max-sm:pr-12"
            title={domain.host}
          >
            {shownHost(domain.host)}
          </h3>
          <DnsPill domain={domain} />
          <CertificatePill domain={domain} />
          {domain.is_default ? (
            <span className="inline-flex min-h-7 items-center rounded-full border border-line px-2 text-xs whitespace-nowrap sm:ml-auto sm:px-2.5">
              Default for new links
            </span>
          ) : null}
        </div>
        {isOwner ? (
          <div className="flex shrink-0 gap-2.5 max-sm:absolute max-sm:top-0 max-sm:right-0">
            {isDone ? null : <CheckButton check={check} className="max-sm:hidden" />}
            <DomainMenu
              {...{ userId, domain, isDone, isShown, check, onAsk }}
              onShow={() => setShown(!isShown)}
            />
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <p className="mt-2.5 text-sm text-ink-soft">{problem}</p>}
      {isDone || domain.link_count > 0 ? <Facts domain={domain} /> : null}
      {isDone && !isShown ? null : <DomainRecords domain={domain} />}
      {isOwner && !isDone ? <CheckButton check={check} className="mt-3 w-full sm:hidden" /> : null}
      <output className="sr-only">{check.isPending ? 'Checking' : ''}</output>
    </article>
  )
}

function CheckButton({ check, className }: { check: DomainCheck; className: string }) {
  return (
    <Button
      size="small"
      busy={check.isPending}
      onClick={() => check.mutate()}
      className={className}
    >
      <RefreshCw size={16} aria-hidden className={check.isPending ? 'animate-spin' : ''} />
      {check.isPending ? 'Checking...' : 'Check now'}
    </Button>
  )
}

const linkClass = 'underline underline-offset-4 wrap-anywhere hover:text-ink'

function Facts({ domain }: { domain: AccountDomain }) {
  const { host, link_count: count, root_url: root, missing_url: missing } = domain
  return (
    <ul className="mt-2.5 flex flex-wrap gap-x-6 gap-y-1.5 text-sm text-ink-soft">
      <li>
        <Link to={routes.dashboard.path} search={{ domain: host }} className="hover:underline">
          <span className="font-semibold text-ink tabular-nums">{numbers.format(count)}</span>{' '}
          {count === 1 ? 'link' : 'links'}
        </Link>
      </li>
      <li className="min-w-0">
        Root: <Target target={root} />
      </li>
      <li className="min-w-0">
        Missing codes: <Target target={missing} />
      </li>
    </ul>
  )
}

function Target({ target }: { target: string | null }) {
  if (target === null) return targetWords(target)
  return target === 'bio' ? (
    <Link to={routes.bioLink.path} className={linkClass}>
      {targetWords(target)}
    </Link>
  ) : (
    <a href={target} target="_blank" rel="noopener noreferrer" className={linkClass}>
      {targetWords(target)}
    </a>
  )
}
