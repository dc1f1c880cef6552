/** The parameter of an address that came from a QR code. It has no value. */
export const qrParameter = 'qr'

/** Address in a QR code of a short link, so that scans can be told from clicks. People are shown the address itself. */
export function qrAddress(address: string): string {
  return `${address}?${qrParameter}`
}

/** Whether a query, without its `?`, is that of a scan. The parameter is compared as sent. */
export function isOfQrCode(query: string): boolean {
  return query.includes(qrParameter) && /(?:^|&)qr(?:[=&]|$)/.test(query)
}
