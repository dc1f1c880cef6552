import { describe, expect, it } from 'vitest'
import { coveredPart, drawQr } from './draw-qr.ts'
import {
  contrastOf,
  plainQrLook,
  qrLimits,
  QrLookError,
  readQrLook,
  storedLook,
} from './qr-look.ts'

const logo = `data:image/png;base64,${'A'.repeat(400)}`

describe('a look', () => {
  it('takes missing parts from the plain one', () => {
    expect(readQrLook({})).toEqual(plainQrLook)
    expect(readQrLook({ cells: 'dots', color: '#A8430A', logo, caption: ' Scan ' })).toEqual({
      ...plainQrLook,
      cells: 'dots',
      color: '#a8430a',
      logo,
      caption: 'Scan',
    })
  })

  it.for([
    ['no object', [], 'a look is an object'],
    ['another shape', { cells: 'stars' }, 'cells is one of squares, rounded, dots, leaves'],
    ['a named color', { color: 'red' }, 'color must look like #1a2b3c'],
    ['three light cells', { quiet: 3 }, 'quiet is a whole number from 4 to 8'],
    ['an SVG', { logo: 'data:image/svg+xml;base64,PHN2Zz4=' }, 'logo is a PNG as a data URL'],
    [
      'a large logo',
      { logo: `${logo}${'A'.repeat(qrLimits.logo)}` },
      'a logo has at most 32768 characters as a data URL',
    ],
    ['a long caption', { caption: 'x'.repeat(61) }, 'a caption has at most 60 characters'],
    ['two lines', { caption: 'a\nb' }, 'caption is a line of text'],
    ['a word of its own', { glow: 1 }, 'a look has no glow'],
  ] as const)('refuses %s', ([, value, sentence]) => {
    expect(() => readQrLook(value)).toThrow(new QrLookError(sentence))
    expect(storedLook(value)).toEqual(plainQrLook)
  })

  it('knows that light on dark is no contrast', () => {
    expect(contrastOf(plainQrLook)).toBe(21)
    expect(contrastOf({ ...plainQrLook, color: '#ffffff', background: '#000000' })).toBeLessThan(0)
    expect(contrastOf({ ...plainQrLook, color: '#ffffff', background: '#ffff00' })).toBeLessThan(0)
  })
})

describe('a drawing', () => {
  const text = 'HTTPS://HOP.EXAMPLE/Q/K3X9AB'

  it('grows with its quiet zone, frame and words', () => {
    const plain = drawQr(text, plainQrLook)
    expect([plain.width, plain.height, plain.texts]).toEqual([37, 37, []])
    expect(drawQr(text, { ...plainQrLook, quiet: 6 }).width).toBe(41)
    const framed = drawQr(text, { ...plainQrLook, frame: 'caption', caption: 'Scan me' })
    expect(framed.width).toBe(37)
    expect(framed.height).toBeGreaterThan(37)
    expect(framed.texts.map((line) => line.text)).toEqual(['Scan me'])
    const tab = drawQr(text, { ...plainQrLook, frame: 'tab', caption: 'Scan me' })
    expect(tab.code).toEqual({ x: 1, y: 1, size: 37 })
  })

  it('breaks a long caption into two lines of at most its width', () => {
    const caption = 'Everything for the winter, in one list, and more of it'
    const { texts } = drawQr(text, { ...plainQrLook, frame: 'caption', caption })
    expect(texts.map((line) => line.text)).toEqual([
      'Everything for the winter,',
      'in one list, and more of it',
    ])
  })

  it('leaves the cells below a logo out', () => {
    const large = { ...plainQrLook, logo, logoSize: 'large' } as const
    expect(coveredPart(text, plainQrLook)).toBe(0)
    expect(coveredPart(text, large)).toBeLessThan(0.2)
    expect(drawQr(text, large).shapes[0]?.d.length).toBeLessThan(
      drawQr(text, plainQrLook).shapes[0]?.d.length ?? 0,
    )
  })
})
