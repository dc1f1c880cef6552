import { useQuery } from '@tanstack/react-query'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import type { BlockRow } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { useUnblock } from './block-mutations.ts'
import type { Column } from '../data-table.tsx'
import { blocksQuery } from './links-query.ts'
import { QueryTable } from '../query-table.tsx'
import { Tag } from '../tag.tsx'
import { TitledSection } from '../titled-section.tsx'
import { dayOf } from '#web/ui/time-words.ts'

/** All that is blocked now. */
export function BlockList() {
  const query = useQuery(blocksQuery)
  const unblock = useUnblock()
  const columns: Column<BlockRow>[] = [
    { head: 'Kind', cell: ({ kind }) => <Tag>{kind}</Tag> },
    {
      head: 'Blocked',
      cell: (block) => (
        <>
          <span className="font-mono wrap-anywhere">{nameOf(block)}</span>
          {block.hides_published ? null : (
            <span className="block text-sm text-ink-soft">Publications stay on</span>
          )}
        </>
      ),
    },
    {
      head: 'Reason',
      cell: ({ reason }) => <span className="wrap-anywhere">{reason ?? '–'}</span>,
    },
    {
      head: 'By',
      cell: ({ created_by_email }) => (
        <span className="wrap-anywhere">{created_by_email ?? '–'}</span>
      ),
      className: 'lg:w-52',
    },
    { head: 'Since', cell: timesOf, className: 'whitespace-nowrap' },
    {
      head: 'Actions',
      cell: (block) => (
        <Button
          size="small"
          aria-label={`Unblock ${nameOf(block)}`}
          busy={unblock.isPending}
          onClick={() => unblock.mutate({ kind: block.kind, value: block.value })}
        >
          Unblock
        </Button>
      ),
    },
  ]
  return (
    <div className="mt-12">
      <TitledSection title="Blocked now">
        <QueryTable
          query={query}
          loading="Loading the blocks"
          skeletonRows={2}
          failed={adminNotices.blocksFailed}
          empty="Nothing is blocked."
          label="Blocked now"
          columns={columns}
          rowKey={({ kind, value }) => `${kind} ${value}`}
        />
      </TitledSection>
    </div>
  )
}

function timesOf({ created_at, ends_at }: BlockRow): string {
  return ends_at === null ? dayOf(created_at) : `${dayOf(created_at)} to ${dayOf(ends_at)}`
}

function nameOf({ value, email }: BlockRow): string {
  return email ?? value
}
