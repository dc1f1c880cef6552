import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Download } from 'lucide-react'
import type { ListDimension } from '#domain/reports/hits.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { toCsv } from '#domain/csv.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { saveCsv } from '#web/ui/save-blob.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { Part } from '../card.tsx'
import { dateAt } from '../period/zoned-time.ts'
import { reportQuery } from '../report-queries.ts'
import { countOfClicks, numbers } from '../report-words.ts'
import type { OpenReport } from '../use-report.ts'
import { valuesOf, withFilter } from '../view-parts.ts'
import { dimensionWords, valueName } from './dimension-words.ts'
import { listSelection, maxListRows } from './list-selection.ts'
import { TopList } from './top-list.tsx'
import { listTable } from './list-table.ts'

interface TopDialogProps {
  report: OpenReport
  dimension: ListDimension
  open: boolean
  onClose: () => void
}

/** A list in its length, with a search. */
export function TopDialog({ open, onClose, ...list }: TopDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={titleOf(list.dimension)}>
      <WholeList {...list} />
    </Dialog>
  )
}

function titleOf(dimension: ListDimension): string {
  const { one, many } = dimensionWords[dimension]
  return dimension.startsWith('utm_') ? `Clicks by ${one}` : many
}

function WholeList({ report, dimension }: Pick<TopDialogProps, 'report' | 'dimension'>) {
  const [typed, setTyped] = useState('')
  const { userId, view, setView } = report
  const query = useQuery(
    reportQuery(userId, 'lists', dimension, listSelection(report, dimension), maxListRows),
  )
  return (
    <>
      <Field
        label={`Search ${titleOf(dimension)}`}
        hideLabel
        type="search"
        placeholder="Search"
        autoComplete="off"
        className="[&::-webkit-search-cancel-button]:hidden"
        data-first-focus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="mt-2 flex justify-end">
        <SaveListButton {...{ report, dimension }} />
      </div>
      <div className="-mx-2 mt-1 h-[min(55dvh,30rem)] overflow-y-auto overscroll-contain px-2">
        <Part query={query} loading="Loading the list" skeleton={<Loading label="" />}>
          {(list) => {
            const words = typed.trim().toLowerCase()
            const rows = list.rows.filter(
              (row) =>
                valueName(dimension, row).toLowerCase().includes(words) ||
                row.key.toLowerCase().includes(words),
            )
            return (
              <>
                <output className="sr-only">{words === '' ? '' : `${rows.length} found`}</output>
                <TopList
                  {...{ dimension, list, rows }}
                  chosen={valuesOf(view, dimension)}
                  onToggle={(value) => setView((now) => withFilter(now, dimension, value))}
                />
                {rows.length === 0 ? (
                  <p className="py-8 text-center text-ink-soft">Nothing matches “{typed.trim()}”</p>
                ) : null}
                {list.rest > 0 && words === '' ? (
                  <p className="py-3 text-sm text-ink-faint">
                    {countOfClicks(list.rest, list.sampled)} in values beyond the first{' '}
                    {numbers.format(list.rows.length)}
                  </p>
                ) : null}
              </>
            )
          }}
        </Part>
      </div>
    </>
  )
}

/** Saves the whole list as CSV, not only the rows on the screen. */
function SaveListButton({ report, dimension }: Pick<TopDialogProps, 'report' | 'dimension'>) {
  const client = useQueryClient()
  const { userId, zone, period } = report
  const save = useAction(async () => {
    try {
      const list = await client.fetchQuery(
        reportQuery(userId, 'lists', dimension, listSelection(report, dimension), maxListRows),
      )
      const { head, rows } = listTable(dimension, list)
      saveCsv(toCsv(head, rows), `${dimension}-${dateAt(zone, period.from)}.csv`)
    } catch {
      notifyError({ title: 'Error', description: 'The list could not be saved' })
    }
  })
  return (
    <Button
      size="small"
      look="quiet"
      busy={save.busy}
      onClick={() => save.run()}
      aria-label={`Save ${dimensionWords[dimension].many} as CSV`}
    >
      <Download size={15} aria-hidden />
      CSV
    </Button>
  )
}
