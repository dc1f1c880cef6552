import { Download } from 'lucide-react'
import { downloadHits, type HitSelection } from '#web/clicks/report.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { saveCsv } from '#web/ui/save-blob.ts'
import { useAction } from '#web/ui/use-action.ts'

/** Saves every hit of the time, without the filters. */
export function SaveHits({ selection }: { selection: HitSelection }) {
  const save = useAction(async () => {
    try {
      saveCsv(await downloadHits(selection), `hits-${selection.from.slice(0, 10)}.csv`)
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
