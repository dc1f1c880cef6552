/** The parameter of an address that came from a QR code. It has no value. */
export const qrParameter = 'qr'

/** Address in a QR code of a short link, so that scans can be told from clicks. People are shown the address itself. */
export function qrAddress(address: string): string {
  return `${address}?${qrParameter}`
}
