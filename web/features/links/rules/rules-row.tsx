import { useQuery } from '@tanstack/react-query'
import { Signpost } from 'lucide-react'
import { useRef, useState } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { LinkRow } from '#web/api/database.ts'
import { timeZoneQuery } from '#web/clicks/time-zone-query.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { BehaviorRow } from '../page/behavior-row.tsx'
import { RulesEditor } from './rules-editor.tsx'
import { linkRulesQuery, type VersionedRules } from './rules-query.ts'
import type { RulesStart } from './use-rules-editor.ts'
import { ruleWords } from './rule-words.ts'

/** The rules of a link in plain words; the editor takes their place. */
export function RulesRow({ link, userId }: { link: LinkRow; userId: string }) {
  const { data: zone } = useQuery(timeZoneQuery(userId))
  const { data, isError, refetch } = useQuery(linkRulesQuery(link.id))
  const [edited, setEdited] = useState<{ rules: VersionedRules; start: RulesStart }>()
  const place = useRef<HTMLElement>(null)
  // The pressed button leaves with the one of the two.
  const show = (rules: VersionedRules | undefined, start: RulesStart = 'as-saved') => {
    setEdited(rules && { rules, start })
    place.current?.focus()
  }
  return (
    <section ref={place} aria-label="Rules" tabIndex={-1} className="scroll-mt-20">
      {edited !== undefined ? (
        <div className="px-5 py-4">
          <h3 className="font-semibold">Rules</h3>
          <RulesEditor
            link={link}
            loaded={edited.rules}
            start={edited.start}
            zone={zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone}
            onClose={() => show(undefined)}
          />
        </div>
      ) : isError ? (
        <FailedLine
          retry={() => void refetch()}
          className="flex-wrap justify-between gap-3 px-5 py-3.5"
        >
          The rules could not be loaded.
        </FailedLine>
      ) : data === undefined ? (
        <BehaviorRow Icon={Signpost}>
          <span
            aria-hidden
            className="block h-9 w-64 max-w-full animate-pulse rounded-md bg-sunken"
          />
        </BehaviorRow>
      ) : data.rules.length === 0 ? (
        <BehaviorRow
          Icon={Signpost}
          detail={readableUrl(link.original_url)}
          actions={
            <>
              <Button size="small" onClick={() => show(data, 'split')}>
                Split visitors (A/B)
              </Button>
              <Button size="small" onClick={() => show(data, 'rule')}>
                Send some elsewhere
              </Button>
            </>
          }
        >
          Every visitor goes to the destination
        </BehaviorRow>
      ) : (
        <BehaviorRow
          Icon={Signpost}
          actions={
            <Button size="small" onClick={() => show(data)}>
              Edit rules
            </Button>
          }
        >
          <RulesInWords link={link} {...data} />
        </BehaviorRow>
      )}
    </section>
  )
}

function RulesInWords({ link, rules }: VersionedRules & { link: LinkRow }) {
  return (
    <ol className="grid gap-2">
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
      {when}
      <span className="block text-sm font-normal text-ink-soft">{to}</span>
    </li>
  )
}
