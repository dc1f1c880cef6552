export interface Sender {
  name: string
  address: string
}

export interface MailSettings {
  from: Sender
  /** Unset: mails become files in the data directory. May hold a password. */
  smtpUrl: string | undefined
  /** For connecting and for each silence of the mail server, in milliseconds. */
  timeLimit: number
  /** How often the outbox is looked at, in milliseconds. */
  pollEvery: number
}

/** One bare address and nothing that means something in a header or an SMTP command. */
const address = /^[^\p{C}\s<>()[\]",:;@\\]+@[^\p{C}\s<>()[\]",:;@\\]+$/u

export function isAddress(text: string): boolean {
  return text.length <= 320 && address.test(text)
}

/** Reads `hoplet@example.com` or `Hoplet <hoplet@example.com>`; undefined for anything else. */
export function parseSender(text: string): Sender | undefined {
  const [, quoted, bare, bracketed = text.trim()] =
    /^\s*(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(text) ?? []
  const name = quoted ?? bare ?? ''
  if (!isAddress(bracketed) || /\p{Cc}/u.test(name)) return undefined
  return { name: name || 'Hoplet', address: bracketed }
}

/** `smtp://` (STARTTLS when the server offers it) or `smtps://` (TLS from the start), maybe with user and password. */
export function isSmtpUrl(text: string): boolean {
  try {
    const { protocol, hostname, pathname, hash } = new URL(text)
    return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && hash === ''
  } catch {
    return false
  }
}
