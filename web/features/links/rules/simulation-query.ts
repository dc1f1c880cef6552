import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SimulationAnswer } from '#domain/reports/report-answers.ts'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'

/** Runs again when the link or its rules change. */
export function simulationQuery(link: LinkRow, visit: SimulatedVisit) {
  const { click_count: _, ...facts } = link
  return queryOptions({
    queryKey: ['link-simulation', link.id, visit, facts],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) => {
      const request = tables.rpc('simulate_visit', { _link: link.id, _visit: visit })
      return answerOf(request, signal) as Promise<SimulationAnswer>
    },
  })
}

/** A simulated visit with the address that it must reach. */
interface Expectation {
  id: string
  name: string
  visit: SimulatedVisit
  expected_url: string
}

export function expectationsQuery(linkId: string) {
  return queryOptions({
    queryKey: ['link-expectations', linkId],
    queryFn: async ({ signal }): Promise<Expectation[]> => {
      const { data } = await tables
        .from('link_expectations')
        .select('id, name, visit, expected_url')
        .eq('link_id', linkId)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ visit, ...others }) => ({ ...others, visit: visit as SimulatedVisit }))
    },
  })
}

/** @returns the refusal for people; undefined when it is saved */
export async function keepExpectation(
  linkId: string,
  { name, visit, expected_url }: Omit<Expectation, 'id'>,
): Promise<string | undefined> {
  const { error } = await tables
    .from('link_expectations')
    .insert({ link_id: linkId, name, visit, expected_url })
  if (error === null) return undefined
  if (error.hint === 'expectation_failed') return 'The visit reaches another address now.'
  return error.code === '23505' ? 'An expectation has this name already.' : error.message
}

export async function deleteExpectation(id: string): Promise<void> {
  await tables.from('link_expectations').delete().eq('id', id).throwOnError()
}
