import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { toCsv } from '#domain/csv.ts'
import type { ClickDimension } from '#domain/hits.ts'
import type { HitSelection } from '#web/clicks/report.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { useAction } from '#web/ui/use-action.ts'
import { reportQuery } from '../report-queries.ts'
import { dimensionWords } from './dimension-words.ts'
import { maxListRows } from './list-selection.ts'
import { listTable } from './list-table.ts'

interface SaveListButtonProps {
  userId: string
  selection: HitSelection
  dimension: ClickDimension
}

/** Saves the whole list as CSV, not only the rows on the screen. */
export function SaveListButton({ userId, selection, dimension }: SaveListButtonProps) {
  const client = useQueryClient()
  const save = useAction(async () => {
    try {
      const list = await client.fetchQuery(
        reportQuery(userId, 'lists', dimension, selection, maxListRows),
      )
      const { head, rows } = listTable(dimension, list)
      const file = new Blob([toCsv(head, rows)], { type: 'text/csv;charset=utf-8' })
      saveBlob(file, `${dimension}-${selection.from.slice(0, 10)}.csv`)
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
