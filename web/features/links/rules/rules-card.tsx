import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import { timeZoneQuery } from '#web/clicks/time-zone-query.ts'
import type { LinkRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { LinkCard } from '../page/link-card.tsx'
import { ruleWords } from './rule-words.ts'
import { RulesEditor } from './rules-editor.tsx'
import { SplitResults } from './split-results.tsx'
import { linkRulesQuery, type VersionedRules } from './rules-query.ts'

/** The rules of a link in plain words; the editor takes their place. */
export function RulesCard({ link, userId }: { link: LinkRow; userId: string }) {
  const { data: zone } = useQuery(timeZoneQuery(userId))
  const { data, isError, refetch } = useQuery(linkRulesQuery(link.id))
  const [edited, setEdited] = useState<VersionedRules>()
  const card = useRef<HTMLElement>(null)
  // The pressed button leaves with the one of the two.
  const show = (rules: VersionedRules | undefined) => {
    setEdited(rules)
    card.current?.focus()
  }
  return (
    <LinkCard title="Rules" ref={card}>
      {edited !== undefined ? (
        <RulesEditor
          link={link}
          loaded={edited}
          zone={zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone}
          onClose={() => show(undefined)}
        />
      ) : isError ? (
        <FailedLine retry={() => void refetch()} className="mt-3 flex-wrap justify-between gap-3">
          The rules could not be loaded.
        </FailedLine>
      ) : data === undefined ? (
        <div aria-hidden className="mt-3 h-5 w-64 max-w-full animate-pulse rounded-md bg-sunken" />
      ) : (
        <>
          <RulesInWords link={link} {...data} />
          <Button size="small" className="mt-4" onClick={() => show(data)}>
            Edit rules
          </Button>
          <SplitResults linkId={link.id} rules={data.rules} userId={userId} />
        </>
      )}
    </LinkCard>
  )
}

function RulesInWords({ link, rules }: VersionedRules & { link: LinkRow }) {
  if (rules.length === 0)
    return <p className="mt-3 text-sm text-ink-soft">Every visitor goes to the destination.</p>
  return (
    <ol className="mt-3 grid gap-2.5 text-sm wrap-anywhere">
      {rules.map((rule) => {
        const { when, to } = ruleWords(rule)
        return <RuleLine key={rule.id} when={when} to={to} />
      })}
      {rules.some((rule) => 'else' in rule) ? null : (
        <RuleLine when="Everyone else" to={readableUrl(link.original_url)} />
      )}
    </ol>
  )
}

function RuleLine({ when, to }: { when: string; to: string }) {
  return (
    <li>
      <span className="font-medium">{when}</span>
      <span className="block text-ink-soft">{to}</span>
    </li>
  )
}
