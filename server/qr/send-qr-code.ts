import sharp from 'sharp'
import * as z from 'zod'
import { drawQr, type QrDrawing } from '#domain/qr/draw-qr.ts'
import { type QrLook, qrLimits } from '#domain/qr/qr-look.ts'
import { qrSvg } from '#domain/qr/qr-svg.ts'
import type { Context } from '../context.ts'
import { httpErrors } from '../http/errors.ts'
import type { HttpCall } from '../http/router.ts'
import { pointsPerMm } from '../pdf/pdf-pages.ts'
import type { MakePdf } from '../pdf/make-pdf.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { hasFonts } from '../pictures/svg-text.ts'
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

const [leastPixels, mostPixels] = qrLimits.pixels
const sizeSentence = `size must be a whole number from ${leastPixels} to ${mostPixels}`

const parametersWith = <Look extends z.ZodType>(look: Look) =>
  z
    .object({
      code: codeParameter
        .optional()
        .describe('The short code of an own link; on a domain `host/code`'),
      page: z.literal('1', 'page must be 1').optional().describe('`1`: the own bio page instead'),
      placement: placementParameter.optional().describe('Id or mark of a placement of the link'),
      look,
      format: z.enum(['png', 'svg', 'pdf'], 'format must be png, svg or pdf').default('png'),
      size: z.coerce
        .number(sizeSentence)
        .int(sizeSentence)
        .min(leastPixels, sizeSentence)
        .max(mostPixels, sizeSentence)
        .default(1_024)
        .describe('Least width in pixels of a PNG, whose cells have whole pixels; width of an SVG'),
    })
    .refine(
      ({ code, page }) => (code === undefined) !== (page === undefined),
      'Please give a code, or page=1',
    )
    .refine(
      ({ code, placement }) => placement === undefined || code !== undefined,
      'Only links have placements',
    )

export const qrCodeQuery = parametersWith(lookParameter)
export const qrCodeBody = parametersWith(lookOrName)

interface QrCodeCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'makePdf'>
  person: Person
  query: z.output<typeof qrCodeBody>
}

const types = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' }
/** Least pixels of a cell. */
const leastScale = 4

/** The QR code of an own link, placement or bio page as a file, counted as a download once per look and day. */
export async function sendQrCode(call: QrCodeCall): Promise<Response> {
  const { deps, person, query, request } = call
  const { format, size } = query
  const subject = await subjectOf(call)
  const { key, look } = await findLook(deps.database, person, query.look)
  const headers = {
    'Content-Type': types[format],
    'Content-Disposition': `attachment; filename="${subject.key.replaceAll('/', '-')}-qr.${format}"`,
    'Cache-Control': 'no-store',
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const file = await fileOf(subject, look, format, size, deps.makePdf)
  await countQrDownloads(deps.database, person.id, [subject.key], key)
  return new Response(file, { headers })
}

async function subjectOf(call: QrCodeCall): Promise<QrSubject> {
  const { code, placement } = call.query
  if (code === undefined) return findBioPage(call)
  const [subject] =
    placement === undefined
      ? await findLinksOfCodes(call, [code])
      : await findPlacements(call, code, [placement])
  return orThrow(subject, httpErrors.notFound)
}

async function fileOf(
  { scanned, key }: QrSubject,
  look: QrLook,
  format: 'png' | 'svg' | 'pdf',
  size: number,
  makePdf: MakePdf,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (format === 'svg') return qrSvg(drawQr(scanned, look), size, key)
  if (format === 'png') return pngOf(drawQr(scanned, await drawable(look)), size)
  const drawing = drawQr(scanned, look)
  const scale = pointsPerMm
  const page = { width: drawing.width * scale, height: drawing.height * scale }
  const code = { kind: 'code', drawing, x: 0, y: 0, scale } as const
  return refusingLetters(
    makePdf({ pages: { title: key, pages: [{ ...page, items: [code] }] } }),
    'A look without a frame has no caption.',
  )
}

/** Without the words of its frame on a machine that cannot draw any. */
async function drawable(look: QrLook): Promise<QrLook> {
  return look.caption === '' || (await hasFonts()) ? look : { ...look, frame: 'none' }
}

async function pngOf(drawing: QrDrawing, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const scale = Math.max(leastScale, Math.ceil(size / drawing.width))
  const svg = Buffer.from(qrSvg(drawing, drawing.width * scale))
  return new Uint8Array(await sharp(svg).png({ compressionLevel: 9 }).toBuffer())
}
