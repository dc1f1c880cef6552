import { readableUrl } from '#domain/links/readable-url.ts'
import { shownParts } from '#web/shown-link.ts'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'

/** Room that a cut host keeps, in characters. */
const hostStart = 4

/** The short link of a row: where there is little room its host is cut, and its code never. */
export function ShortAddress({ code, isAlone }: { code: string; isAlone: boolean }) {
  const { host, name } = shownParts(code)
  const most = isAlone ? '100%' : '65%'
  // Half a character more, because widths are rounded.
  const width = name.length + 0.5
  return (
    <span
      className="shrink-[100] font-mono break-all text-ink-soft"
      style={{ minWidth: `min(${most}, ${width + hostStart}ch)` }}
    >
      {/* Inline, not a flex item: copied text has no line break in a short link. */}
      <span
        className="inline-block truncate align-bottom text-ink-faint"
        style={{ maxWidth: `max(${hostStart}ch, calc(100% - ${width}ch))` }}
      >
        {host}/
      </span>
      <span className="mr-[0.5ch]">{name}</span>
    </span>
  )
}

export function RowDestination({ url }: { url: string }) {
  const [, scheme, address] = /^(https?:\/\/)?(.*)$/s.exec(readableUrl(url)) ?? []
  return (
    <span className="flex min-w-12 grow basis-0 gap-x-1.5 whitespace-nowrap">
      <span aria-hidden>→</span>
      <span className="truncate" title={url}>
        <span className="sr-only">{scheme}</span>
        {address}
      </span>
    </span>
  )
}

export function MadeOn({ at, className = '' }: { at: string; className?: string }) {
  return (
    <time
      dateTime={at}
      title={momentOf(at)}
      className={`shrink-0 whitespace-nowrap tabular-nums ${className}`}
    >
      {shortMoment(at)}
    </time>
  )
}
