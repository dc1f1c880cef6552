import { Check, Clock, Lock, LockOpen, type LucideIcon } from 'lucide-react'
import type { AccountDomain } from '#web/api/database.ts'
import { shortDayOf } from '#web/ui/time-words.ts'

interface PillProps {
  Icon: LucideIcon
  text: string
  isGood: boolean
}

function Pill({ Icon, text, isGood }: PillProps) {
  return (
    <span
      className={`inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2 text-xs sm:px-2.5 whitespace-nowrap ${isGood ? 'border-good/25 bg-good/10' : 'border-line'}`}
    >
      <Icon
        size={14}
        aria-hidden
        className={isGood ? 'text-good' : Icon === Clock ? 'text-accent-text' : 'text-ink-faint'}
      />
      {text}
    </span>
  )
}

/** Whether the last check found all records. */
export function hasAllRecords({ records }: AccountDomain): boolean {
  return records.every(({ found }) => found)
}

export function DnsPill({ domain }: { domain: AccountDomain }) {
  const isRight = hasAllRecords(domain)
  return (
    <Pill
      Icon={isRight ? Check : Clock}
      text={isRight ? 'DNS is right' : 'Waiting for DNS'}
      isGood={isRight}
    />
  )
}

export function CertificatePill({ domain }: { domain: AccountDomain }) {
  const { is_verified, is_probed, has_certificate, certificate_ends_at: endsAt } = domain
  if (is_verified && !is_probed && !has_certificate)
    return <Pill Icon={LockOpen} text="Not checked from outside" isGood={false} />
  if (!has_certificate) return <Pill Icon={LockOpen} text="No certificate yet" isGood={false} />
  const until = endsAt === null ? '' : ` until ${shortDayOf(endsAt)}`
  return <Pill Icon={Lock} text={`Certificate${until}`} isGood />
}
