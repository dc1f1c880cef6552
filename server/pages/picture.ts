import { QRCodeSVG } from 'qrcode.react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import sharp from 'sharp'
import type { PreviewPicture } from '#public-pages/preview-picture.ts'
import { hasFonts, linesOf, sizeFor, words } from '../pictures/svg-text.ts'

const width = 1200
const height = 630
/** Left of the QR code. */
const room = 760

/** Draws a PNG of 1200 by 630 pixels. On a machine without fonts it leaves the texts out instead of drawing empty boxes. */
export async function drawPicture(picture: PreviewPicture): Promise<Buffer> {
  const svg = await svgOf((await hasFonts()) ? picture : { ...picture, ...withoutTexts })
  return sharp(Buffer.from(svg)).png({ palette: true, compressionLevel: 9 }).toBuffer()
}

const withoutTexts = { title: '', description: '', initial: '' }

async function svgOf({
  title,
  description,
  initial,
  qrCode,
  background,
  ink,
  accent,
  onAccent,
}: PreviewPicture): Promise<string> {
  const code = renderToStaticMarkup(
    createElement(QRCodeSVG, { value: qrCode, size: 230, level: 'M', marginSize: 0 }),
  ).replace('<svg ', '<svg x="885" y="315" ')
  const titleLines = linesOf(title, 21, 2)
  const textLines = linesOf(description, 40, 3)
  const titleSize = await sizeFor(titleLines, { size: 66, room, weight: 700 })
  const textSize = await sizeFor(textLines, { size: 32, room, weight: 400 })
  const textTop = 330 + titleLines.length * 76
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="${width}" height="${height}" fill="${background}"/>
    <path d="M760 -40C860 170 1040 190 1260 120V-40Z" fill="${accent}"/>
    <circle cx="165" cy="155" r="85" fill="${accent}"/>
    ${initial === '' ? mark(onAccent) : words(initial, 165, 188, 92, onAccent, 'middle')}
    ${titleLines.map((line, i) => words(line, 80, 340 + i * 76, titleSize, ink)).join('')}
    ${textLines.map((line, i) => words(line, 80, textTop + i * 44, textSize, ink, 'start', 400)).join('')}
    <rect x="860" y="290" width="280" height="280" rx="28" fill="#fff"/>
    ${code}
  </svg>`
}

function mark(color: string): string {
  return `<g transform="translate(109 99) scale(3.5)" fill="${color}"><path d="M6 23C7.5 2.5 21.5 -0.5 25.2 15.4" fill="none" stroke="${color}" stroke-width="3.2" stroke-linecap="round"/><circle cx="6" cy="25" r="4"/><circle cx="26" cy="25" r="4"/></g>`
}
