import { expect, it } from 'vitest'
import { placementMark, qrAddress, qrPath } from './qr-address.ts'

it.each([
  ['https://hop.example/k3x9ab', undefined, 'HTTPS://HOP.EXAMPLE/Q/K3X9AB'],
  ['https://hop.example/summer-menu', undefined, 'HTTPS://HOP.EXAMPLE/Q/SUMMER-MENU'],
  ['http://127.0.0.1:3000/abc', undefined, 'HTTP://127.0.0.1:3000/Q/ABC'],
  ['https://xn--mnchen-3ya.example/abc', 'k7', 'HTTPS://XN--MNCHEN-3YA.EXAMPLE/Q/ABC/K7'],
  ['https://hop.example/my_menu', undefined, 'https://hop.example/my_menu?qr'],
  ['https://hop.example/my_menu', 'k7', 'https://hop.example/q/my_menu/k7'],
  // A QR code has no brackets in capitals.
  ['http://[::1]:3000/abc', undefined, 'http://[::1]:3000/abc?qr'],
  ['http://[::1]:3000/abc', 'k7', 'http://[::1]:3000/q/abc/k7'],
])('the QR code of %s with the mark %s has the address %s', (address, mark, printed) => {
  expect(qrAddress(address, mark)).toBe(printed)
})

it('the path of a scan is the printed one', () => {
  expect(qrPath('k3x9ab')).toBe('/Q/K3X9AB')
  expect(qrPath('my_menu')).toBe('/q/my_menu')
})

it.each([
  ['qr=t4', 't4'],
  ['qr=T4&a=b', 't4'],
  ['a=b&qr=abcdefgh', 'abcdefgh'],
  ['qr=t4&qr=t5', 't4'],
  ['qr', undefined],
  ['qr=1', undefined],
  ['qr=abcdefghi', undefined],
  ['qr=t-4', undefined],
  ['xqr=t4', undefined],
  ['', undefined],
])('the mark in the query %s is %s', (query, mark) => {
  expect(placementMark(query)).toBe(mark)
})
