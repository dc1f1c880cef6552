import { queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/client.ts'
import type { Utm } from './utm.ts'

export type UtmTemplate = Utm & { id: string; name: string }

/** The saved campaigns of an account, by name. */
export function utmTemplatesQuery(userId: string) {
  return queryOptions({
    queryKey: ['utm-templates', userId],
    queryFn: ({ signal }): Promise<UtmTemplate[]> =>
      answerOf(
        tables
          .from('utm_templates')
          .select('id,name,utm_source,utm_medium,utm_campaign,utm_term,utm_content')
          .eq('user_id', userId)
          .order('name'),
        signal,
      ),
  })
}
