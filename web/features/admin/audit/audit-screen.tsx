import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adminNotices } from '#domain/texts.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { AdminPage } from '../admin-page.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { auditQuery } from './audit-query.ts'
import { MoreButton } from '../more-button.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
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
        label="Search the audit log"
        placeholder="Search by action, person, target or value"
        value={search}
        onSearch={setSearch}
      />
      <div className="mt-6" aria-busy={query.isFetching}>
        <QueryPanel
          query={{ ...query, data: query.data?.pages.flat() }}
          loading="Loading the audit log"
          skeleton={<RowsSkeleton rows={12} />}
          failed={adminNotices.auditFailed}
        >
          {(rows) =>
            rows.length === 0 ? (
              <StatePanel
                title={search === '' ? 'Nothing was done yet' : `Nothing matches “${search}”`}
              />
            ) : (
              <ol aria-label="Audit log" className="border-t border-line">
                {rows.map((row) => (
                  <AuditEntry key={row.id} row={row} />
                ))}
              </ol>
            )
          }
        </QueryPanel>
        <MoreButton query={query} />
      </div>
    </AdminPage>
  )
}
