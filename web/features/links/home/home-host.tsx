import { useEffect, useState } from 'react'
import { useDomainChoice } from '#web/domains/domain-choices.ts'
import { HostSelect } from '#web/domains/host-select.tsx'
import { site } from '#web/site.ts'
import { LeadingPart } from '#web/ui/fields/field.tsx'
import { ownPlace, type ShortenerPlace } from './shortener-place.ts'

interface HomeHostProps {
  userId: string
  onPlace: (place: ShortenerPlace) => void
}

/** The host before the code: a choice for accounts with domains. */
export function HomeHost({ userId, onPlace }: HomeHostProps) {
  const [wanted, setWanted] = useState<string | null>()
  const { domain, hosts, sent } = useDomainChoice(userId, wanted)
  useEffect(() => {
    onPlace({ domain, sent })
    return () => onPlace(ownPlace)
  }, [domain, sent, onPlace])
  if (hosts.length === 0) return <LeadingPart>{`${site.host}/`}</LeadingPart>
  return <HostSelect value={domain} hosts={hosts} onChange={setWanted} />
}
