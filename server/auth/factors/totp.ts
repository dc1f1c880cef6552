import { generateSecret, generateURI, verify } from 'otplib'
import { QRCodeSVG } from 'qrcode.react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

/** Parameters of authenticator apps: RFC 6238 with SHA-1, six digits and steps of 30 seconds, as all apps read. */
export interface TotpSetup {
  /** SVG. */
  qr_code: string
  /** Base32. */
  secret: string
  uri: string
}

const stepSeconds = 30

/** @param issuer the site's name in the app. @param account the person's name there */
export function newTotp(issuer: string, account: string): TotpSetup {
  const secret = generateSecret()
  // A colon would end the issuer in the label.
  const uri = generateURI({ issuer: issuer.replaceAll(':', ' '), label: account, secret })
  return { secret, uri, qr_code: qrCode(uri) }
}

/**
 * The official client puts the SVG into a data address as it is, where `#` would begin the fragment and `%` an escape:
 * hence colors by name.
 */
function qrCode(uri: string): string {
  return renderToStaticMarkup(
    createElement(QRCodeSVG, {
      value: uri,
      size: 200,
      level: 'M',
      marginSize: 4,
      bgColor: 'white',
      fgColor: 'black',
    }),
  ).replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
}

/**
 * @param lastStep the last time step that was accepted, so that no code is valid twice
 * @returns the time step of a right code (this one, the one before or after), else undefined
 */
export async function matchTotp(
  secret: string,
  code: string,
  lastStep: number | undefined,
): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const result = await verify({ secret, token: code, epochTolerance: stepSeconds })
  if (!result.valid || !('timeStep' in result)) return undefined
  return lastStep === undefined || result.timeStep > lastStep ? result.timeStep : undefined
}
