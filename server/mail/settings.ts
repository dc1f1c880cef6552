import { asciiDomain } from '#domain/forms/email-address.ts'

export interface Sender {
  name: string
  address: string
}

/** One bare address, without characters that have a meaning in a header or an SMTP command. */
const emailAddress = /^[^\p{C}\s<>()[\]",:;@\\]+@[^\p{C}\s<>()[\]",:;@\\]+$/u

export function isAddress(text: string): boolean {
  return text.length <= 320 && emailAddress.test(text)
}

/** Reads `hoplet@example.com` or `Hoplet <hoplet@example.com>`; undefined for anything else. */
export function parseSender(text: string): Sender | undefined {
  const [, quoted, bare, bracketed = text.trim()] =
    /^\s*(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(text) ?? []
  const name = quoted ?? bare ?? ''
  if (!isAddress(bracketed) || /\p{Cc}/u.test(name)) return undefined
  return { name: name || 'Hoplet', address: asciiAddress(bracketed) }
}

/** The address with its domain in ASCII, which every mail server and header takes. */
export function asciiAddress(address: string): string {
  const domain = address.lastIndexOf('@') + 1
  return `${address.slice(0, domain)}${asciiDomain(address.slice(domain)) ?? address.slice(domain)}`
}

/** `smtp://` (STARTTLS when the server offers it) or `smtps://` (TLS from the start), with an optional user and password. */
export function isSmtpUrl(text: string): boolean {
  try {
    const { protocol, hostname, pathname, hash } = new URL(text)
    return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && hash === ''
  } catch {
    return false
  }
}
