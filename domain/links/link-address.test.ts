import { describe, expect, test } from 'vitest'
import { isAppPath, routes } from '../routes.ts'
import { nameInAddress, namedOn, nameOfAddress, readNamedOn } from './link-address.ts'

const names = [
  { named: { name: 'menu', domain: null }, text: 'menu', inAddress: 'menu' },
  {
    named: { name: 'menu', domain: 'go.example' },
    text: 'go.example/menu',
    inAddress: 'go.example~menu',
  },
  {
    named: { name: 'a_b-c', domain: 'xn--bcher-kva.example' },
    text: 'xn--bcher-kva.example/a_b-c',
    inAddress: 'xn--bcher-kva.example~a_b-c',
  },
]

describe('the name of a link', () => {
  test.each(names)('$text has two parts, and one segment in an address', (given) => {
    expect(namedOn(given.named)).toBe(given.text)
    expect(readNamedOn(given.text)).toEqual(given.named)
    expect(nameInAddress(given.text)).toBe(given.inAddress)
    expect(nameOfAddress(given.inAddress)).toBe(given.text)
    const path = routes.link.href({ code: given.text })
    expect(path).toBe(`/links/${given.inAddress}`)
    expect([isAppPath(path), isAppPath(`${path}/x`)]).toEqual([true, false])
  })
})
