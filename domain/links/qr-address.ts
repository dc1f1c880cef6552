/** The parameter of an address that came from a QR code. It has no value, or the mark of a placement. */
export const qrParameter = 'qr'

/** The first segment of addresses in QR codes: `/q/{code}`, mostly printed in capitals. */
export const qrSegment = 'q'

/** The 45 characters that a QR code holds in five and a half bits each, without the blank and `%`. */
const alphanumeric = /^[0-9A-Z$*+\-./:]+$/

/**
 * Address in a QR code of a short link or bio page, so that scans are counted apart from clicks: `HTTPS://HOST/Q/CODE`, and with the mark
 * of a placement `HTTPS://HOST/Q/CODE/MARK`. Capitals make a smaller code; with another character, as the `_` of a code, the address
 * keeps its case. People are shown the address itself.
 */
export function qrAddress(address: string, mark?: string): string {
  const end = address.lastIndexOf('/')
  const scanned = address.slice(0, end) + scannedPath(address.slice(end + 1), mark)
  const printed = scanned.toUpperCase()
  if (alphanumeric.test(printed)) return printed
  return mark === undefined ? `${address}?${qrParameter}` : scanned
}

/** Path of a scan as a QR code has it: `/Q/CODE`, or `/q/co_de`. */
export function qrPath(code: string): string {
  const path = scannedPath(code)
  const printed = path.toUpperCase()
  return alphanumeric.test(printed) ? printed : path
}

const scannedPath = (code: string, mark?: string) =>
  `/${qrSegment}/${code}${mark === undefined ? '' : `/${mark}`}`

/** Whether a query, without its `?`, is that of a scan. The parameter is compared as sent. */
export function isOfQrCode(query: string): boolean {
  return query.includes(qrParameter) && /(?:^|&)qr(?:[=&]|$)/.test(query)
}

/** The mark of a placement in a query of {@link isOfQrCode}: the first one, in lower case. */
export function placementMark(query: string): string | undefined {
  if (!query.includes(`${qrParameter}=`)) return undefined
  return /(?:^|&)qr=([a-z0-9]{2,8})(?:&|$)/i.exec(query)?.[1]?.toLowerCase()
}
