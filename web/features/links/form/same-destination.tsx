import { queryOptions, useQuery } from '@tanstack/react-query'
import { Copy, ExternalLink } from 'lucide-react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { tables } from '#web/api/client.ts'
import { shownLink } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { useSettled } from '#web/ui/hooks/use-settled.ts'
import { useCopyLink } from '../share/copy-link-button.tsx'

interface SameDestinationProps {
  userId: string
  /** The destination to store; undefined for an invalid text. */
  destination: string | undefined
}

/**
 * Offers the newest working link with exactly this destination, if there is one. A new link can still be made. The question reads
 * each link of the owner (50 ms for 100,000, once per pause in typing): no index has the destination, and building one would lock
 * all writes for longer than a migration may.
 */
export function SameDestination({ userId, destination }: SameDestinationProps) {
  const settled = useSettled(destination, 300)
  const code = useQuery(sameDestinationQuery(userId, settled)).data
  if (typeof code !== 'string' || settled !== destination) return null
  return <Offer code={code} />
}

function Offer({ code }: { code: string }) {
  const url = shortLinkUrl(code)
  const { copied, copyLink } = useCopyLink(url)
  return (
    <div className="grid gap-2.5 rounded-xl border border-line bg-sunken px-3.5 py-3 text-sm">
      <output>
        You already have a link to this address:{' '}
        <span className="font-mono wrap-anywhere">{shownLink(code)}</span>
      </output>
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={copyLink}>
          <Copy size={16} aria-hidden />
          {copied ? 'Copied' : 'Use this link'}
        </Button>
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          // The dialog closes for links to another screen.
          onClick={(event) => event.stopPropagation()}
          className={buttonClass('quiet', 'small')}
        >
          <ExternalLink size={16} aria-hidden />
          Open
        </a>
      </div>
    </div>
  )
}

/** The code of the newest link with this destination that is in the list and on; null for none. */
function sameDestinationQuery(userId: string, destination: string | undefined) {
  return queryOptions({
    // Below the lists' key: a link that was made, changed or deleted counts at once.
    queryKey: ['account', userId, 'same-destination', destination],
    enabled: destination !== undefined,
    queryFn: async ({ signal }): Promise<string | null> => {
      const { data } = await tables
        .from('shortened_urls')
        .select('short_code,domain')
        .eq('user_id', userId)
        .eq('original_url', destination ?? '')
        .eq('is_disabled', false)
        .is('archived_at', null)
        .order('created_at', { ascending: false })
        .limit(1)
        .abortSignal(signal)
        .throwOnError()
      return data[0] === undefined ? null : codeOfLink(data[0])
    },
  })
}
