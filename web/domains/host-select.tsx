import { shownHost } from '#web/shown-link.ts'

interface HostSelectProps {
  /** Null is the server's own host. */
  value: string | null
  hosts: readonly string[]
  onChange: (domain: string | null) => void
  className?: string
}

/** Chooses the host of a link or bio page, in the place of the text before its code. */
export function HostSelect({ value, hosts, onChange, className = '' }: HostSelectProps) {
  return (
    <select
      aria-label="Domain"
      name="domain"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      className={`h-full max-w-[48%] min-w-0 cursor-pointer truncate rounded-l-xl bg-transparent py-2 pl-2.5 font-mono text-ink-soft [field-sizing:content] hover:text-ink ${className}`}
    >
      {[null, ...hosts].map((host) => (
        <option key={host} value={host ?? ''}>
          {shownHost(host)}/
        </option>
      ))}
    </select>
  )
}
