import { useInfiniteQuery, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { answerOf, tables } from '#web/api/client.ts'
import type { AuditRow } from '#web/api/database-admin.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { AdminPage } from '../admin-page.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { SearchField } from '../search-field.tsx'
import { actionWords, actorWords, auditChanges } from './audit-changes.ts'

export function AuditScreen() {
  const [search, setSearch] = useState('')
  const query = useInfiniteQuery(auditQuery(search))
  return (
    <AdminPage
      title="Audit Log"
      intro="Everything that admins do, newest first. Nobody can change or delete a line. A search also finds where links led before."
    >
      <SearchField
        label="Search audit log"
        placeholder="Search by action, person, target or value"
        value={search}
        onSearch={setSearch}
      />
      <div className="mt-6" aria-busy={query.isFetching}>
        <QueryList
          query={query}
          rows={query.data?.pages.flat()}
          loading="Loading the audit log"
          skeleton={<RowsSkeleton rows={12} />}
          failed={adminNotices.auditFailed}
          empty={
            <StatePanel
              title={search === '' ? 'Nothing was done yet' : `Nothing matches “${search}”`}
            />
          }
          more={{ label: 'Load More' }}
        >
          {(rows) => (
            <ol aria-label="Audit log" className="border-t border-line">
              {rows.map((row) => (
                <AuditEntry key={row.id} row={row} />
              ))}
            </ol>
          )}
        </QueryList>
      </div>
    </AdminPage>
  )
}

const pageSize = 50

/** The audit log, newest first; a search looks into every part of a line. */
function auditQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'audit', search],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }): Promise<AuditRow[]> =>
      answerOf(
        tables.rpc('admin_audit', { _before_id: pageParam, _limit: pageSize, _search: search }),
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < pageSize ? null : last.at(-1)?.id),
  })
}

/** One line of the log: time, actor, action, subject, and the differences. */
function AuditEntry({ row }: { row: AuditRow }) {
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
