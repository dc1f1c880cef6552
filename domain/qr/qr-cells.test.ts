import { describe, expect, it } from 'vitest'
import { qrAddress } from '#domain/links/qr-address.ts'
import { qrCells, QrTooLongError, quietCells } from './qr-cells.ts'

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

  it('holds 1,273 bytes and no more', () => {
    expect(qrCells('x'.repeat(1_273))).toHaveLength(177)
    expect(() => qrCells('x'.repeat(1_274))).toThrow(QrTooLongError)
  })
})
