import { type FormEvent, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import type { OpenReport } from '../use-report.ts'
import { withRange } from '../view-parts.ts'
import { dateAt } from './zoned-time.ts'

interface CustomRangeDialogProps {
  report: OpenReport
  open: boolean
  onClose: () => void
}

export function CustomRangeDialog({ report, open, onClose }: CustomRangeDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Custom range">
      <CustomRangeForm report={report} onClose={onClose} />
    </Dialog>
  )
}

function CustomRangeForm({ report, onClose }: Omit<CustomRangeDialogProps, 'open'>) {
  const { period, zone, setView } = report
  const [today] = useState(() => dateAt(zone, Date.now()))
  const [from, setFrom] = useState(dateAt(zone, period.from))
  const [to, setTo] = useState(() => earlier(dateAt(zone, period.to - 1), today))
  const [error, setError] = useState<string>()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (from === '' || to === '') return setError('Please enter both days')
    if (from > to) return setError('The last day must not be before the first one')
    if (withRange({}, { from, to }).from === undefined)
      return setError('A range is at most ten years long')
    setView((view) => withRange(view, { from, to }))
    onClose()
  }

  return (
    <form onSubmit={submit} noValidate>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="From"
          type="date"
          min="2000-01-01"
          max={today}
          value={from}
          data-first-focus
          onChange={(event) => setFrom(event.target.value)}
        />
        <Field
          label="To"
          type="date"
          min="2000-01-01"
          max={today}
          value={to}
          error={error}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      <p className="mt-3 text-sm text-ink-faint">Dates in {zone}, both included</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="ink">
          Show
        </Button>
      </DialogActions>
    </form>
  )
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}
