import sharp from 'sharp'
import { readableHost } from '#domain/links/destinations.ts'
import { hopMarkup } from '#domain/links/hop-print.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import { qrSvg } from '#domain/qr/qr-svg.ts'
import { hasFonts, linesOf, sizeFor, words } from './svg-text.ts'

/** A short link as its tag shows it. */
export interface LinkTagView {
  code: string
  title: string | null
  destination?: string
  /** Origin of the server: the short link begins with it. */
  publicUrl: string
  /** Without it the stub has the hop print. */
  qrCode?: QrDrawing | undefined
}

/** Size of the picture in pixels. */
export const tagSize = { width: 1200, height: 630 } as const
const { width, height } = tagSize

export const tagColors = {
  paper: '#fbf8f2',
  surface: '#fffdf9',
  line: '#e5dccd',
  ink: '#1c1712',
  faint: '#6f6558',
  accent: '#f97a2b',
} as const
const { paper, surface, line, ink, faint, accent } = tagColors
const mono = 'Geist Mono, DejaVu Sans Mono, Menlo, Consolas, monospace'
const maxTitle = 27
const maxDestination = 38

/** The tag as a PNG of 1200 by 630 pixels. On a machine without fonts its texts are missing. */
export async function drawTag(view: LinkTagView): Promise<Buffer> {
  return sharp(Buffer.from(await svgOf(view, await hasFonts())))
    .png({ palette: true, compressionLevel: 9 })
    .toBuffer()
}

async function svgOf(view: LinkTagView, hasText: boolean): Promise<string> {
  const { code, qrCode } = view
  const print = hopMarkup(code, { width: 56, height: 36, ink, accent })
  const notches = [75, 555].map(
    (y) => `<circle cx="780" cy="${y}" r="20" fill="${paper}" stroke="${line}" stroke-width="3"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
    <rect width="${width}" height="${height}" fill="${paper}"/>
    <clipPath id="tag"><rect x="58" y="73" width="1084" height="484" rx="38"/></clipPath>
    <rect x="60" y="75" width="1080" height="480" rx="36" fill="${surface}" stroke="${line}" stroke-width="3"/>
    <path d="M780 102V528" stroke="${line}" stroke-width="4" stroke-dasharray="14 10"/>
    <g clip-path="url(#tag)">${notches.join('')}</g>
    <g transform="translate(102 112) scale(2.4)">${print}</g>
    <clipPath id="left"><rect x="60" y="75" width="700" height="480"/></clipPath>
    <g clip-path="url(#left)">${hasText ? await textsOf(view) : ''}</g>
    ${qrCode === undefined ? `<g transform="translate(838 237) scale(4.4)">${print}</g>` : qrSvg(qrCode, 252).replace('<svg ', '<svg x="836" y="189" ')}
  </svg>`
}

/** Words of a tag in the lines in which they are shown; its title is '' without one. */
export function tagWords({ code, title, destination }: LinkTagView) {
  const codeLines = linesOf(code, code.length > 18 ? 22 : 18, 3)
  const [titleLine = ''] = linesOf(title ?? '', maxTitle, 1)
  const shown = readableUrl(destination ?? '').replace(/^https?:\/\//, '')
  const [destinationLine] = linesOf(shown, maxDestination, 1)
  const codeSize = codeLines.length > 1 || code.length > 14 ? 46 : 62
  return { codeLines, codeSize, title: titleLine, destination: destinationLine }
}

async function textsOf(view: LinkTagView): Promise<string> {
  const { codeLines, codeSize: size, title, destination: to } = tagWords(view)
  const titleLines = title === '' ? [] : [title]
  const titleSize = await sizeFor(titleLines, { size: 34, room: 490, weight: 600 })
  const host = words(`${readableHost(view.publicUrl)}/`, 110, 300, 34, faint, 'start', 400, mono)
  const lines = codeLines.map((each, index) =>
    words(each, 110, 300 + (index + 1) * (size + 8), size, ink, 'start', 600, mono),
  )
  return [
    words(title, 260, 178, titleSize, ink, 'start', 600),
    host,
    ...lines,
    to === undefined ? '' : words(`→ ${to}`, 110, 512, 26, faint, 'start', 400),
  ].join('')
}
