import { shownHost } from '#web/shown-link.ts'
import { ownHost } from './list-view.ts'

interface DomainFilterProps {
  /** The domains of the account. */
  hosts: readonly string[]
  /** A host, or `ownHost`; undefined for all. */
  chosen: string | undefined
  onChoose: (domain: string | undefined) => void
}

/** Narrows the list to the links of one host, for accounts with domains. */
export function DomainFilter({ hosts, chosen, onChoose }: DomainFilterProps) {
  if (hosts.length === 0 && chosen === undefined) return null
  const isGone = chosen !== undefined && chosen !== ownHost && !hosts.includes(chosen)
  return (
    <select
      aria-label="Domain"
      value={chosen ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
      className={`h-9 max-w-44 shrink-0 truncate [field-sizing:content] max-rail:order-first rounded-full border pr-1.5 pl-3 text-sm transition-colors duration-150 pointer-coarse:h-11 ${
        chosen === undefined
          ? 'border-line bg-transparent text-ink-soft hover:border-edge hover:text-ink'
          : 'border-ink bg-ink text-paper'
      }`}
    >
      <option value="">Any domain</option>
      <option value={ownHost}>{shownHost(null)}</option>
      {[...hosts, ...(isGone ? [chosen] : [])].map((host) => (
        <option key={host} value={host}>
          {shownHost(host)}
        </option>
      ))}
    </select>
  )
}
