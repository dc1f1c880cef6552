import { withHttps } from '#domain/destination-notice.ts'
import { site } from './site.ts'
import { Button } from './ui/button.tsx'

interface HttpsOfferProps {
  typed: string
  onTake: (url: string) => void
}

/** For an address that was typed without its scheme: the same with https://, one press away. */
export function HttpsOffer({ typed, onTake }: HttpsOfferProps) {
  const url = withHttps(typed, { ownHosts: site.ownHosts })
  if (url === undefined) return null
  return (
    <Button size="small" className="min-w-0 justify-self-start" onClick={() => onTake(url)}>
      <span className="truncate">Use {url}</span>
    </Button>
  )
}
