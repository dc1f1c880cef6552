import { useState } from 'react'
import * as z from 'zod/mini'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
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

const day = z.string().check(z.minLength(1, 'Please enter both days'))
const rangeForm = z.object({ from: day, to: day }).check(
  z.refine(({ from, to }) => from <= to, {
    error: 'The last day must not be before the first one',
    path: ['to'],
  }),
  z.refine((range) => withRange({}, range).from !== undefined, {
    error: 'A range is at most ten years long',
    path: ['to'],
  }),
)

function CustomRangeForm({ report, onClose }: Omit<CustomRangeDialogProps, 'open'>) {
  const { period, zone, setView } = report
  const [today] = useState(() => dateAt(zone, Date.now()))
  const form = useFormFields({
    schema: rangeForm,
    initial: {
      from: dateAt(zone, period.from),
      to: earlier(dateAt(zone, period.to - 1), today),
    },
    issueNotice: null,
    submit: async (range) => {
      setView((view) => withRange(view, range))
      onClose()
    },
  })

  return (
    <form {...form.props}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="From"
          type="date"
          min="2000-01-01"
          max={today}
          data-first-focus
          {...form.text('from')}
        />
        <Field label="To" type="date" min="2000-01-01" max={today} {...form.text('to')} />
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
