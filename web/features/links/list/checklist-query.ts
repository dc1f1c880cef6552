import { queryOptions } from '@tanstack/react-query'
import { codeOfLink } from '#domain/links/link-address.ts'
import { tables } from '#web/api/client.ts'

const dayMs = 86_400_000

interface Begun {
  link: boolean
  /** The short code of the link that was made last. */
  newestCode: string | null
  /** Whole days since the oldest link that exists; 0 without a link. */
  daysSinceFirstLink: number
  qrCode: boolean
  bioPage: boolean
  popup: boolean
  /** Nobody is admin of this server, and this is its first account. */
  needsAdmin: boolean
}

/** First steps that the account has done. */
export function begunQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'begun'],
    // People look at the list right after a step.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Begun> => {
      const has = async (table: 'bio_pages' | 'popups') => {
        const { data } = await tables
          .from(table)
          .select('id')
          .eq('user_id', userId)
          .limit(1)
          .abortSignal(signal)
          .throwOnError()
        return data.length > 0
      }
      const outermostLink = (isOldest: boolean) =>
        tables
          .from('shortened_urls')
          .select('short_code,domain,created_at')
          .eq('user_id', userId)
          .order('created_at', { ascending: isOldest })
          .limit(1)
          .abortSignal(signal)
          .maybeSingle()
          .throwOnError()
      const usage = tables
        .from('user_usage')
        .select('daily_qr_codes')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      const needsAdmin = tables.rpc('needs_admin').abortSignal(signal)
      const [{ data: oldest }, { data: newest }, bioPage, popup, { data }, admin] =
        await Promise.all([
          outermostLink(true),
          outermostLink(false),
          has('bio_pages'),
          has('popups'),
          usage,
          needsAdmin,
        ])
      return {
        link: oldest !== null,
        newestCode: newest && codeOfLink(newest),
        daysSinceFirstLink:
          oldest === null ? 0 : Math.floor((Date.now() - Date.parse(oldest.created_at)) / dayMs),
        bioPage,
        popup,
        needsAdmin: admin.data === true,
        qrCode: (data?.daily_qr_codes ?? 0) > 0,
      }
    },
  })
}
