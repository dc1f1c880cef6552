/** The parameter of an address that came from a QR code. It has no value. */
export const qrParameter = 'qr'

/** What a QR code of a short address holds, so that its visits can be told apart. People are shown the address itself. */
export function qrAddress(address: string): string {
  return `${address}?${qrParameter}`
}
