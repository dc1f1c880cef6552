import * as z from 'zod/mini'
import { isVisible, limitedText } from '#domain/forms/visible-text.ts'
import type { QrLook } from './qr-look.ts'
import { labelFormat, type LabelFormat, labelLimits } from './labels.ts'

/** Words below or beside a code on a label. */
export const sheetCaptions = ['none', 'code', 'title', 'placement', 'text'] as const
export type SheetCaption = (typeof sheetCaptions)[number]

/** Typed values of a sheet of labels. */
export type SheetFields = {
  format: string
  start: string
  copies: string
  dx: string
  dy: string
  caption: SheetCaption
  text: string
}

/** A number of digits, with a point or a comma. */
const decimal = /^[+-]?\d{1,3}([.,]\d{1,3})?$/

/** A typed number; NaN if it is none. Blank is zero. */
function numberOf(typed: string): number {
  const number = typed.trim().replace('\u2212', '-').replace(',', '.')
  if (number === '') return 0
  return decimal.test(number) ? Number(number) + 0 : Number.NaN
}

/** A typed whole number; NaN if it is none. */
export function wholeOf(typed: string): number {
  return /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : Number.NaN
}

/** Labels of a full sheet; 1 for those of a label printer. */
export function labelsOf({ columns, rows }: LabelFormat): number {
  return columns * rows
}

function whole(most: number, problem: string) {
  return z.pipe(
    z.string(),
    z.pipe(
      z.transform(wholeOf),
      z.number(problem).check(z.minimum(1, problem), z.maximum(most, problem)),
    ),
  )
}

const offsetProblem = `Please enter -${labelLimits.offset} to ${labelLimits.offset} mm`
const offset = z.pipe(
  z.string(),
  z.pipe(
    z.transform(numberOf),
    z
      .number(offsetProblem)
      .check(
        z.minimum(-labelLimits.offset, offsetProblem),
        z.maximum(labelLimits.offset, offsetProblem),
      ),
  ),
)

/** A sentence on a file that would have too many labels; undefined for one that has not. */
export function tooManyLabels(labels: number): string | undefined {
  if (!(labels > labelLimits.labels)) return undefined
  const words = (count: number) => count.toLocaleString('en')
  return `One file has at most ${words(labelLimits.labels)} labels, these are ${words(labels)}`
}

const startProblem = (labels: number) => `Please enter a label from 1 to ${labels}`
const copiesProblem = `Please enter 1 to ${labelLimits.copies}`
const longCaption = `A caption has at most ${labelLimits.caption} characters`

/** Labels of a full sheet of the format with this name. */
function labelsNamed(name: string): number {
  const format = labelFormat(name)
  return format === undefined ? 1 : labelsOf(format)
}

function isPrinterLabel(name: string): boolean {
  return labelFormat(name)?.paper === 'label'
}

/** The values without those of fields that are not shown: a label printer has a page for each label. */
function shownValues(typed: SheetFields): SheetFields {
  const hidden = isPrinterLabel(typed.format) ? { start: '1', dx: '0', dy: '0' } : {}
  return { ...typed, ...hidden, text: typed.caption === 'text' ? typed.text : '' }
}

/** The form of a sheet with so many codes. */
export function sheetForm(codes: number) {
  const form = z
    .object({
      format: z.string(),
      start: whole(labelLimits.labels, 'Please enter the number of a label'),
      copies: whole(labelLimits.copies, copiesProblem).check(
        z.refine((copies) => tooManyLabels(codes * copies) === undefined, {
          error: ({ input }) => tooManyLabels(codes * Number(input)) ?? '',
        }),
      ),
      dx: offset,
      dy: offset,
      caption: z.enum(sheetCaptions),
      text: limitedText(labelLimits.caption, longCaption).check(
        z.refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'A caption is one line of text'),
      ),
    })
    .check(
      z.superRefine(({ format, start }, { addIssue }) => {
        const most = labelsNamed(format)
        if (start > most) addIssue({ code: 'custom', path: ['start'], message: startProblem(most) })
      }),
      z.refine(({ caption, text }) => caption !== 'text' || isVisible(text), {
        path: ['text'],
        message: 'Please enter a caption',
      }),
    )
  return z.pipe(z.transform(shownValues), form)
}

export type SheetValues = z.output<ReturnType<typeof sheetForm>>

/** Codes of a sheet: of links, of the placements of one link, or of the bio page. */
export type SheetSource =
  | { kind: 'codes'; codes: readonly string[] }
  | { kind: 'placements'; code: string; count: number }
  | { kind: 'page' }

/** Codes that a sheet has without copies. */
export function codesOf(source: SheetSource): number {
  if (source.kind === 'codes') return source.codes.length
  return source.kind === 'placements' ? source.count : 1
}

/** The body of `/functions/v1/qr-sheet`. */
export function sheetBody(
  source: SheetSource,
  look: QrLook,
  values: SheetValues,
  hasOutlines: boolean,
) {
  const { format: label, start, dx, dy, copies, caption, text } = values
  return {
    ...subjectsOf(source),
    label,
    ...(isPrinterLabel(label) ? {} : { start, dx, dy }),
    copies,
    caption,
    ...(caption === 'text' ? { text } : {}),
    look,
    ...(hasOutlines ? { outlines: '1' } : {}),
  }
}

function subjectsOf(source: SheetSource) {
  if (source.kind === 'codes') return { codes: source.codes.join(',') }
  if (source.kind === 'placements') return { code: source.code, placements: 'all' }
  return { page: '1' }
}
