import { useInfiniteQuery, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { answerOf, tables } from '#web/api/client.ts'
import type { AuditRow } from '#web/api/database-admin.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { AdminPage } from '../admin-page.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { SearchField } from '../search-field.tsx'
import { actorWords, type AuditChange, auditChanges } from './audit-changes.ts'
import { auditSentence } from './audit-sentence.ts'

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

/** One line of the log: its time and a sentence; facts and ids are behind it. */
function AuditEntry({ row }: { row: AuditRow }) {
  const { verb, subject, rest } = auditSentence(row)
  return (
    <li className="grid gap-x-6 border-b border-line text-sm md:grid-cols-[11rem_minmax(0,1fr)]">
      <p className="pt-2.5 text-ink-soft tabular-nums">
        <time dateTime={row.at}>{momentOf(row.at)}</time>
      </p>
      <details data-audit-entry className="group min-w-0">
        <summary className="flex min-h-10 cursor-pointer list-none items-baseline gap-4 py-2.5 pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
          <span className="min-w-0 grow wrap-anywhere">
            {actorWords(row)} <span className="text-ink-soft">{verb}</span>{' '}
            <bdi className="font-medium">{subject}</bdi>
            {rest === '' ? null : <span className="text-ink-soft">{rest}</span>}
          </span>
          <span className="shrink-0 text-xs text-ink-faint underline underline-offset-4 group-hover:text-ink">
            Details
          </span>
        </summary>
        <AuditDetails row={row} />
      </details>
    </li>
  )
}

function AuditDetails({ row }: { row: AuditRow }) {
  const ids = [
    { name: 'action', value: row.action },
    { name: row.target_kind, value: row.target_id },
    { name: 'actor role', value: row.actor_role },
    { name: 'request', value: row.request_id },
  ]
  return (
    <dl className="mb-3 grid gap-1 rounded-xl bg-sunken px-4 py-3">
      {auditChanges(row.before, row.after).map((change) => (
        <Detail key={change.name} name={change.name}>
          <ChangeWords {...change} />
        </Detail>
      ))}
      {ids.map(({ name, value }) =>
        value === null ? null : (
          <Detail key={`id ${name}`} name={name}>
            <span className="font-mono text-xs">{value}</span>
          </Detail>
        ),
      )}
    </dl>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <dt className="text-ink-soft wrap-anywhere">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

function ChangeWords({ before, after }: AuditChange) {
  return (
    <>
      {before === null ? null : (
        <>
          <span className="sr-only">{after === null ? 'was: ' : 'before: '}</span>
          {/* A replaced value is struck out; a fact that the act left alone is not. */}
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
    </>
  )
}
