import * as z from 'zod'
import { labelFormat, labelFormats, labelLimits } from '#domain/qr/labels.ts'
import type { Context } from '../context.ts'
import { HttpError } from '../http/errors.ts'
import type { HttpCall } from '../http/router.ts'
import type { PdfPages } from '../pdf/pdf-pages.ts'
import type { Person } from '../tokens/person.ts'
import { countQrDownloads } from './count-downloads.ts'
import { findLook, lookOrName, lookParameter } from './find-looks.ts'
import {
  codeParameter,
  findBioPage,
  findLinksOfCodes,
  findPlacements,
  placementParameter,
  type QrSubject,
} from './find-subjects.ts'
import { refusingLetters } from './refuse-letters.ts'
import { sheetPages, testPage } from './sheet-pages.ts'

const names = labelFormats.flatMap(({ name, aliases }) => [name, ...aliases])
const most = labelLimits.labels.toLocaleString('en')
const tooMany = `A file has at most ${most} labels`

const listOf = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).max(labelLimits.labels, tooMany))

function wholeNumber(name: string, least: number, greatest: number) {
  const sentence = `${name} must be a whole number from ${least} to ${greatest.toLocaleString('en')}`
  return z.coerce
    .number(sentence)
    .int(sentence)
    .min(least, sentence)
    .max(greatest, sentence)
    .default(least)
}

function millimeters(name: string) {
  const { offset } = labelLimits
  const sentence = `${name} must be from -${offset} to ${offset} mm`
  return z.coerce
    .number(sentence)
    .min(-offset, sentence)
    .max(offset, sentence)
    .default(0)
    .describe('Millimeters by which all labels move')
}

const captions = ['none', 'code', 'title', 'placement', 'text'] as const

const parametersWith = <Look extends z.ZodType>(look: Look) =>
  z
    .object({
      codes: listOf(codeParameter).optional().describe('Short codes of own links, with commas'),
      code: codeParameter.optional().describe('The short code of the link of `placements`'),
      placements: listOf(placementParameter)
        .optional()
        .describe('`all`, or ids or marks with commas'),
      page: z.literal('1', 'page must be 1').optional().describe('`1`: the own bio page'),
      label: z
        .string(`label is one of ${names.join(', ')}`)
        .transform((name, context) => {
          const format = labelFormat(name)
          if (format) return format
          context.addIssue(`label is one of ${names.join(', ')}`)
          return z.NEVER
        })
        .describe(names.join(', ')),
      copies: wholeNumber('copies', 1, labelLimits.copies).describe('Labels of each code'),
      start: wholeNumber('start', 1, labelLimits.labels).describe(
        'The first label of a sheet that was used in part',
      ),
      dx: millimeters('dx'),
      dy: millimeters('dy'),
      look,
      caption: z
        .enum(captions, `caption must be one of ${captions.join(', ')}`)
        .default('none')
        .describe('What is beside or below each code'),
      text: z
        .string()
        .trim()
        .max(labelLimits.caption, `text has at most ${labelLimits.caption} characters`)
        .default('')
        .describe('The caption of `caption=text`'),
      outlines: z
        .literal('1', 'outlines must be 1')
        .optional()
        .describe('`1`: a test page with the outlines of the labels instead'),
    })
    .refine(
      ({ codes, code, page, outlines }) =>
        outlines !== undefined ||
        [codes, code, page].filter((each) => each !== undefined).length === 1,
      'Please give codes, a code, or page=1',
    )
    .refine(
      ({ code, placements }) => placements === undefined || code !== undefined,
      'Only a link has placements: please give its code',
    )
    .refine(
      ({ label, start }) => start <= label.columns * label.rows,
      'start is no label of this sheet',
    )

export const qrSheetQuery = parametersWith(lookParameter)
export const qrSheetBody = parametersWith(lookOrName)

interface QrSheetCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'makePdf'>
  person: Person
  query: z.output<typeof qrSheetBody>
}

/** Labels as a vector PDF. Each code counts as a download once per look and day; a test page counts none. */
export async function sendQrSheet(call: QrSheetCall): Promise<Response> {
  const { deps, person, query, request } = call
  const { label: format, dx, dy, copies, start } = query
  const isTest = query.outlines !== undefined
  const headers = {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="labels-${format.name}${isTest ? '-test' : ''}.pdf"`,
    'Cache-Control': 'no-store',
  }
  const offset = { x: dx, y: dy }
  const isHead = request.method === 'HEAD'
  if (isTest) {
    const file = isHead ? null : await deps.makePdf({ pages: testPage(format, offset) })
    return new Response(file, { headers })
  }
  const subjects = await subjectsOf(call)
  if (subjects.length * copies > labelLimits.labels)
    throw new HttpError(
      400,
      `${tooMany}; these are ${(subjects.length * copies).toLocaleString('en')}`,
    )
  const { key, look } = await findLook(deps.database, person, query.look)
  if (isHead) return new Response(null, { headers })
  const codes = subjects.map((subject) => ({
    scanned: subject.scanned,
    caption: captionOf(subject, query),
  }))
  const pages = await sheetPages({ format, look, codes, copies, start, offset })
  const file = await fileOf(deps.makePdf, pages)
  const keys = subjects.map((subject) => subject.key)
  await countQrDownloads(deps.database, person.id, keys, key)
  return new Response(file, { headers })
}

function fileOf(makePdf: Context['makePdf'], pages: PdfPages) {
  return refusingLetters(makePdf({ pages }), 'Captions may be left out: caption=none.')
}

async function subjectsOf(call: QrSheetCall): Promise<QrSubject[]> {
  const { codes, code, placements } = call.query
  if (codes !== undefined) return findLinksOfCodes(call, codes)
  if (code === undefined) return [await findBioPage(call)]
  return placements === undefined
    ? findLinksOfCodes(call, [code])
    : findPlacements(call, code, placements)
}

/** A subject without a title or placement has its address as caption. */
function captionOf(
  { readable, title, placement }: QrSubject,
  { caption, text }: QrSheetCall['query'],
): string {
  if (caption === 'none') return ''
  if (caption === 'text') return text
  if (caption === 'title') return title || readable
  if (caption === 'placement') return placement ?? (title || readable)
  return readable
}
