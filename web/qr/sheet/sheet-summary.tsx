import { labelFit, type LabelFormat, tooDenseSentence } from '#domain/qr/labels.ts'
import { labelsOf, tooManyLabels } from '#domain/qr/sheet-form.ts'
import { Button } from '#web/ui/button.tsx'

export const warningClass =
  'grid justify-items-start gap-3 rounded-2xl bg-danger-wash p-4 text-sm text-danger'

export function LeaveCaptionOut({ onPress }: { onPress: () => void }) {
  return (
    <Button size="small" onClick={onPress}>
      Leave the caption out
    </Button>
  )
}

interface SheetSummaryProps {
  format: LabelFormat
  /** NaN while no copies are typed. */
  labels: number
  first: number
  cells: number
  hasCaption: boolean
  leaveCaptionOut: () => void
}

/** The number and size of the labels, or the reason why there can be none. */
export function SheetSummary({
  format,
  labels,
  first,
  cells,
  hasCaption,
  leaveCaptionOut,
}: SheetSummaryProps) {
  const fit = labelFit(format, cells, hasCaption)
  const tooMany = tooManyLabels(labels)
  if (tooMany !== undefined || 'tooDense' in fit)
    return (
      <output className={warningClass}>
        {tooMany === undefined ? null : <span>{tooMany}.</span>}
        {'tooDense' in fit ? (
          <>
            <span>{tooDenseSentence(format, fit)}.</span>
            {hasCaption && !('tooDense' in labelFit(format, cells, false)) ? (
              <LeaveCaptionOut onPress={leaveCaptionOut} />
            ) : null}
          </>
        ) : null}
      </output>
    )
  const sheets = Math.ceil((first - 1 + labels) / labelsOf(format))
  const amount = Number.isNaN(sheets)
    ? ''
    : format.paper === 'label'
      ? `${wordsOfCount(labels, 'label')}, one a page. `
      : `${wordsOfCount(labels, 'label')} on ${wordsOfCount(sheets, 'sheet')}. `
  const { size } = fit.code
  return (
    <div className="grid gap-1 text-sm text-ink-soft">
      <output>
        {amount}Each code is {size.toFixed(1)} mm wide, for {Math.round(size)} cm of distance.
      </output>
      <p>Print at 100 %, not fitted to the page. A test page shows the edges of the labels.</p>
      {format.paper === 'label' ? null : <p>Labels and moves are kept in your account.</p>}
    </div>
  )
}

function wordsOfCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
