import { describe, expect, it } from 'vitest'
import { qrAddress } from '#domain/links/qr-address.ts'
import { densestText, qrCells, QrTooLongError, quietCells } from './qr-cells.ts'

const cellsOf = (text: string) => qrCells(text).length + 2 * quietCells

describe('a QR code', () => {
  it.for([
    ['hop.example', 41, 37],
    ['go.mycompany.com', 41, 37],
    ['links.restaurant-sonne.de', 45, 41],
  ] as const)('of %s is one version smaller with its mark in the path', ([host, before, now]) => {
    const address = `https://${host}/k3x9ab`
    expect(cellsOf(`${address}?qr`)).toBe(before)
    expect(cellsOf(qrAddress(address))).toBe(now)
  })

  it('is the densest of several where none has more cells', () => {
    const address = (code: string) => qrAddress(`https://hop.example/${code}`)
    const codes = ['a', 'menu', 'wine_card', 'a-very-long-code-of-a-menu-for-winter', 'UPPER-CASE']
    for (const some of [codes, codes.slice(0, 3), ['menu', 'x_'], ['menu', 'menu-of-day']]) {
      const texts = some.map(address)
      const most = Math.max(...texts.map((text) => qrCells(text).length))
      expect(qrCells(densestText(texts) ?? '')).toHaveLength(most)
    }
    // A short one with an underscore is denser than a longer one in capitals.
    expect(densestText(['menu-of-day', 'menu_of_d'].map(address))).toBe(address('menu_of_d'))
    expect(densestText([])).toBeUndefined()
  })

  it('holds 1,273 bytes and no more', () => {
    expect(qrCells('x'.repeat(1_273))).toHaveLength(177)
    expect(() => qrCells('x'.repeat(1_274))).toThrow(QrTooLongError)
  })
})
