import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answerOf, tables } from '../api/client.ts'

type Availability =
  /** No message: no name, or no answer of the server. Saving decides. */
  | { state: 'unknown' }
  | { state: 'checking' }
  | { state: 'free' }
  | { state: 'taken'; suggestion: string | null }
  | { state: 'refused'; why: string }

const pauseMs = 400

/** Each call counts as a guess at this server, so a name is asked for once, and not again when that was refused. */
function freeNameQuery(name: string, domain: string | null) {
  return queryOptions({
    queryKey: ['free-name', name, domain],
    staleTime: 30_000,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }) =>
      answerOf(tables.rpc('free_code', { _short_code: name, _domain: domain ?? '' }), signal),
  })
}

function useNameAvailability(
  name: string,
  domain: string | null,
  why: string | undefined,
): Availability {
  const [settled, setSettled] = useState(name)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(name), pauseMs)
    return () => clearTimeout(timer)
  }, [name])
  const query = useQuery({
    ...freeNameQuery(settled, domain),
    enabled: settled !== '' && settled === name && why === undefined,
  })

  if (name === '') return { state: 'unknown' }
  if (why !== undefined) return { state: 'refused', why }
  if (settled !== name || query.isFetching) return { state: 'checking' }
  if (query.data === undefined) return { state: 'unknown' }
  return query.data === name ? { state: 'free' } : { state: 'taken', suggestion: query.data }
}

interface NameAvailabilityProps {
  /** In lower case; '' while there is nothing to ask. */
  name: string
  /** The host of the name; null is the server's own. */
  domain: string | null
  /** Why it cannot be had, where that is known without asking. */
  refusal: string | undefined
  /** Said without a name. */
  empty: string
  onTake: (name: string) => void
}

/** Whether the name of a link or a bio page can be had, a moment after its last letter; if not, one that can. */
export function NameAvailability({ name, domain, refusal, empty, onTake }: NameAvailabilityProps) {
  const availability = useNameAvailability(name, domain, refusal)
  const { state } = availability
  return (
    <output className="block min-h-5">
      {state === 'free' ? (
        <span className="text-good">Available</span>
      ) : state === 'refused' ? (
        availability.why
      ) : state === 'checking' ? (
        'Checking…'
      ) : state === 'unknown' ? (
        name === '' ? (
          empty
        ) : (
          ''
        )
      ) : (
        <>
          <span className="text-danger">Taken</span>
          {availability.suggestion === null ? null : (
            <>
              , try{' '}
              <button
                type="button"
                onClick={() => onTake(availability.suggestion ?? '')}
                className="font-mono font-medium wrap-anywhere text-accent-text underline underline-offset-4"
              >
                {availability.suggestion}
              </button>
            </>
          )}
        </>
      )}
    </output>
  )
}
