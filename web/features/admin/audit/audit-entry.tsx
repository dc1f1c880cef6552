import type { AuditRow } from '#web/database-admin.ts'
import { actionWords, actorWords, auditChanges } from './audit-changes.ts'
import { momentOf } from '#web/ui/time-words.ts'

/** One line of the log: time, actor, action, subject, and the differences. */
export function AuditEntry({ row }: { row: AuditRow }) {
  const changes = auditChanges(row.before, row.after)
  return (
    <li className="grid gap-2 border-b border-line py-4 text-sm md:grid-cols-[11rem_minmax(0,1fr)] md:gap-6">
      <p className="text-sm text-ink-soft tabular-nums md:pt-0.5">
        <time dateTime={row.at}>{momentOf(row.at)}</time>
      </p>
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="font-semibold">{actionWords(row.action)}</span>{' '}
          <span className="text-ink-soft">{row.target_kind}</span>{' '}
          <span className="font-mono text-sm">{row.target_email ?? row.target_id}</span>{' '}
          <span className="text-ink-soft">by</span> {actorWords(row)}{' '}
          <span className="font-mono text-xs text-ink-faint">{row.action}</span>
        </p>
        {changes.length === 0 ? null : (
          <dl className="mt-2 grid gap-1 text-sm">
            {changes.map(({ name, before, after }) => (
              <div key={name} className="grid gap-x-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
                <dt className="text-ink-soft">{name}</dt>
                <dd className="wrap-anywhere">
                  {before === null ? null : (
                    <>
                      <span className="sr-only">{after === null ? 'was: ' : 'before: '}</span>
                      {/* Struck out is what something else has replaced; a fact that the act left alone is not. */}
                      {after === null ? before : <del className="text-ink-soft">{before}</del>}
                    </>
                  )}
                  {before === null || after === null ? null : <span aria-hidden> → </span>}
                  {after === null ? null : (
                    <>
                      <span className="sr-only">after: </span>
                      <ins className="no-underline">{after}</ins>
                    </>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {row.request_id === null ? null : (
          <p className="mt-2 font-mono text-xs text-ink-faint wrap-anywhere">
            request {row.request_id}
          </p>
        )}
      </div>
    </li>
  )
}
