import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Trash2, X } from 'lucide-react'
import { useRef } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import { ruleNotices } from '#domain/texts/link-texts.ts'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { IconButton } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { LinkCard } from '../page/link-card.tsx'
import { deleteExpectation, expectationsQuery, simulationQuery } from './simulation-query.ts'

/** The saved tests of a link (its expectations), each with whether it holds now; nothing without any. */
export function SavedTestsCard({ link }: { link: LinkRow }) {
  const client = useQueryClient()
  const query = expectationsQuery(link.id)
  const { data, isError, refetch } = useQuery(query)
  const card = useRef<HTMLElement>(null)
  const deletion = useAction(async (id: string) => {
    try {
      await deleteExpectation(id)
      notifySuccess(ruleNotices.expectationDeleted)
      card.current?.focus()
    } catch {
      notifyError(ruleNotices.deleteFailed)
    }
    await client.invalidateQueries({ queryKey: query.queryKey })
  })
  if (data?.length === 0 || (data === undefined && !isError)) return null
  return (
    <LinkCard title="Saved tests" ref={card}>
      <p className="mt-1 text-sm text-ink-faint">Every change runs them first.</p>
      {data === undefined ? (
        <FailedLine retry={() => void refetch()} className="mt-3 flex-wrap justify-between gap-3">
          The tests could not be loaded.
        </FailedLine>
      ) : (
        <ul className="mt-1 divide-y divide-line">
          {data.map(({ id, name, visit, expected_url }) => (
            <li key={id} className="flex items-center gap-3 py-3 text-sm">
              <div className="min-w-0 grow wrap-anywhere">
                <p className="font-medium">{name}</p>
                <p className="text-ink-soft">{readableUrl(expected_url)}</p>
                <Status {...{ link, visit }} expected={expected_url} />
              </div>
              <Allowed right="links:write">
                <IconButton
                  label={`Delete ${name}`}
                  aria-disabled={deletion.busy}
                  onClick={() => deletion.run(id)}
                >
                  <Trash2 size={17} aria-hidden />
                </IconButton>
              </Allowed>
            </li>
          ))}
        </ul>
      )}
    </LinkCard>
  )
}

interface StatusProps {
  link: LinkRow
  visit: SimulatedVisit
  expected: string
}

function Status({ link, visit, expected }: StatusProps) {
  const { data, isError } = useQuery(simulationQuery(link, visit))
  if (isError) return <p className="text-ink-faint">Not known</p>
  if (data === undefined) return <p className="text-ink-faint">Checking</p>
  const isMet = data.address === expected
  const Icon = isMet ? Check : X
  return (
    <p className={`flex items-center gap-1.5 ${isMet ? 'text-ink-soft' : 'text-danger'}`}>
      <Icon size={15} aria-hidden className="shrink-0" />
      {isMet
        ? 'Holds now'
        : data.address === null
          ? 'Does not hold: the visit reaches no address'
          : `Does not hold: leads to ${readableUrl(data.address)}`}
    </p>
  )
}
