import { Download } from 'lucide-react'
import { downloadHits } from '#web/clicks/report.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { saveCsv } from '#web/ui/save-blob.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { dateAt } from './period/zoned-time.ts'
import type { OpenReport } from './use-report.ts'

/** Saves every hit of the time, without the filters; imported ones where they are switched on. */
export function SaveHits({ report }: { report: OpenReport }) {
  const save = useAction(async () => {
    try {
      const name = `hits-${dateAt(report.zone, report.period.from)}.csv`
      saveCsv(await downloadHits(report.selection), name)
    } catch {
      notifyError({ title: 'Error', description: 'The hits could not be downloaded' })
    }
  })
  return (
    <Button
      size="small"
      look="quiet"
      busy={save.busy}
      onClick={() => save.run()}
      aria-label="All hits as CSV"
      title="All hits as CSV"
    >
      <Download size={15} aria-hidden />
      CSV
    </Button>
  )
}
