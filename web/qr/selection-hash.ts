import { labelLimits } from '#domain/qr/labels.ts'
import { nameInAddress, nameOfAddress } from '#domain/links/link-address.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'

const name = 'links'

/** The codes of selected links for the address of the studio. Its fragment, because servers bound the length of the rest. */
export function selectionHash(codes: readonly string[]): string {
  return `${name}=${codes.map(nameInAddress).join(',')}`
}

/** The codes in such a fragment, without its `#`: as many as a sheet can have. */
export function codesOfHash(hash: string): readonly string[] {
  const list = new URLSearchParams(hash).get(name) ?? ''
  const codes = list.split(',').map((code) => normalizeShortCode(nameOfAddress(code)))
  return [...new Set(codes)].filter((code) => code !== '').slice(0, labelLimits.labels)
}
