import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adminNotices } from '#domain/texts.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { AdminPage } from '../admin-page.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { auditQuery } from './audit-query.ts'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { SearchField } from '../search-field.tsx'

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
