import { queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { DayNote } from './series.ts'

/** The notes of an account, at most 500. */
export function dayNotesQuery(userId: string) {
  return queryOptions({
    queryKey: ['day-notes', userId],
    queryFn: ({ signal }): Promise<DayNote[]> =>
      answerOf(
        tables.from('day_notes').select('id,day,text').eq('user_id', userId).order('day'),
        signal,
      ),
  })
}
