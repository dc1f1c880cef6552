import { site } from './site.ts'

/** Stands under a short link that others cannot open. */
export function LocalAddressNote({ className = '' }: { className?: string }) {
  return site.isLocal ? (
    <p className={`text-sm text-pretty text-ink-faint ${className}`}>
      This address works on this machine only. Set{' '}
      <code className="font-mono text-ink-soft">PUBLIC_URL</code> to one that others can reach.
    </p>
  ) : null
}
