import { Check, Clock, Copy, Mail } from 'lucide-react'
import { domainNotices, domainTexts } from '#domain/texts/domain-texts.ts'
import type { DomainRecord, AccountDomain } from '#web/api/database.ts'
import { Button, buttonClass, IconButton } from '#web/ui/button.tsx'
import { useCopyWithNotice } from '#web/use-copy-with-notice.ts'
import { recordsMail, useCheckedWords, zoneLines } from './domain-words.ts'

/** On phones each record is a block of lines. */
const rowClass =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-3.5 sm:grid-cols-[4.5rem_minmax(0,2fr)_minmax(0,3fr)_5.5rem_2.5rem]'

/** The DNS records of a domain to create, each with the result of the last check. */
export function DomainRecords({ domain }: { domain: AccountDomain }) {
  const { copied, copy } = useCopyWithNotice(domainNotices.allCopied)
  const { records } = domain
  return (
    <>
      <p className="mt-4 text-sm text-ink-soft">{domainTexts.records}</p>
      <div className="mt-3 overflow-hidden rounded-xl border border-line text-sm">
        <div aria-hidden className={`${rowClass} min-h-10 text-ink-soft max-sm:hidden`}>
          <span>Type</span>
          <span>Name</span>
          <span>Value</span>
          <span>Now</span>
        </div>
        <ul aria-label="DNS records">
          {records.map((record) => (
            <RecordRow key={`${record.type} ${record.value}`} record={record} />
          ))}
        </ul>
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2.5">
        <Button size="small" onClick={() => copy(zoneLines(records))}>
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
          {copied ? 'Copied' : 'Copy all'}
        </Button>
        <a href={recordsMail(domain)} className={buttonClass('plain', 'small')}>
          <Mail size={16} aria-hidden />
          Send to your DNS admin
        </a>
        <CheckedAt at={domain.checked_at} />
      </div>
    </>
  )
}

function RecordRow({ record }: { record: DomainRecord }) {
  const { type, name, value, found } = record
  const { copied, copy } = useCopyWithNotice(domainNotices.copied)
  return (
    <li className={`${rowClass} min-h-11 border-t border-line max-sm:py-2 max-sm:first:border-t-0`}>
      <span className="font-mono max-sm:font-medium">
        <span className="sr-only">Type: </span>
        {type}
      </span>
      <span className="font-mono wrap-anywhere max-sm:col-span-2 max-sm:row-start-2 max-sm:py-1">
        <span className="text-ink-faint sm:sr-only">Name: </span>
        {name}
      </span>
      <span className="font-mono wrap-anywhere max-sm:row-start-3">
        <span className="text-ink-faint sm:sr-only">Value: </span>
        {value}
      </span>
      <span
        className={`flex items-center gap-1.5 whitespace-nowrap max-sm:col-start-2 max-sm:row-start-1 ${found ? 'text-good' : 'text-accent-text'}`}
      >
        {found ? <Check size={15} aria-hidden /> : <Clock size={15} aria-hidden />}
        <span className="sr-only">Now: </span>
        {found ? 'found' : 'not yet'}
      </span>
      <IconButton
        label={`Copy ${type} ${name}`}
        onClick={() => copy(value)}
        className="-mr-2.5 max-sm:row-start-3 max-sm:justify-self-end"
      >
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </IconButton>
    </li>
  )
}

function CheckedAt({ at }: { at: string | null }) {
  return <span className="text-sm text-ink-faint sm:ml-auto">{useCheckedWords(at)}</span>
}
