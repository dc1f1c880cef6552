import { safeParse } from 'zod/mini'
import { qrCells, QrTooLongError } from './qr-cells.ts'
import {
  staticForms,
  type StaticFields,
  type StaticKind,
  type StaticValues,
} from './static-forms.ts'

/** The text of a code, and a name for its file; or problems by the names of their fields. */
export type Payload =
  | { text: string; name: string }
  | { problems: Readonly<Record<string, string>> }

type Writers = { [Kind in StaticKind]: (values: StaticValues[Kind]) => readonly [string, string] }

/** Makes the text and the name of each kind. */
const writers: Writers = {
  wifi: (values) => [wifiOf(values), `Wi-Fi ${values.ssid}`],
  contact: (values) => [contactOf(values), nameOfContact(values)],
  email: (values) => [mailOf(values), values.to],
  phone: ({ phone }) => [`tel:${phone}`, phone],
  sms: ({ phone, message }) => [`SMSTO:${phone}${message === '' ? '' : `:${message}`}`, phone],
  place: (values) => [placeOf(values), 'Place'],
  event: (values) => [eventOf(values), values.title],
  text: ({ text }) => [text, 'Text'],
}

const tooMuch = 'This is too much for a QR code. Please shorten it, or use a link.'

/** Whether the problem is that no code holds so much. */
export function isTooMuch(problem: string | undefined): boolean {
  return problem === tooMuch
}

/**
 * The payload of a code that is not a link.
 *
 * @example
 * payloadOf('wifi', { security: 'WPA', ssid: 'Café', password: 'one;two;3', isHidden: false })
 * // { text: 'WIFI:T:WPA;S:Café;P:one\\;two\\;3;;', name: 'Wi-Fi Café' }
 */
export function payloadOf<Kind extends StaticKind>(
  kind: Kind,
  fields: StaticFields[Kind],
): Payload {
  const checked = safeParse(staticForms[kind], fields)
  if (!checked.success) {
    const problems: Record<string, string> = {}
    for (const { path, message } of checked.error.issues) problems[String(path[0])] ??= message
    return { problems }
  }
  const [text, name] = writers[kind](checked.data as StaticValues[Kind])
  return fits(text)
    ? { text, name: fileName(name) }
    : { problems: { [longestOf(fields)]: tooMuch } }
}

function fits(text: string): boolean {
  // An encoder takes its time to refuse a very long text.
  if (text.length > 4_296) return false
  try {
    qrCells(text)
    return true
  } catch (error) {
    if (error instanceof QrTooLongError) return false
    throw error
  }
}

/** The name of the field with the longest text. */
function longestOf(fields: object): string {
  const lengths = Object.entries(fields).map(
    ([name, value]) => [name, typeof value === 'string' ? value.length : 0] as const,
  )
  return lengths.sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** A name that every file system takes. */
function fileName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '-').trim()
  return Array.from(plain).slice(0, 60).join('')
}

function wifiOf({ security, ssid, password, isHidden }: StaticValues['wifi']): string {
  const escaped = (text: string) => text.replaceAll(/[\\;,:"]/g, String.raw`\$&`)
  const secret = security === 'nopass' ? '' : `P:${escaped(password)};`
  return `WIFI:T:${security};S:${escaped(ssid)};${secret}${isHidden ? 'H:true;' : ''};`
}

/** RFC 6068: line breaks are %0D%0A. A plus in an address remains one. */
function mailOf({ to, subject, body }: StaticValues['email']): string {
  const encoded = (text: string) => encodeURIComponent(text.replaceAll('\n', '\r\n'))
  const parts = Object.entries({ subject, body })
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}=${encoded(text)}`)
  const at = to.lastIndexOf('@')
  const local = encodeURIComponent(to.slice(0, at)).replaceAll('%2B', '+')
  return `mailto:${local}${to.slice(at)}${parts.length === 0 ? '' : `?${parts.join('&')}`}`
}

/** RFC 5870: a pole has the longitude 0, the date line 180. */
function placeOf({ latitude, longitude }: StaticValues['place']): string {
  const isPole = Math.abs(Number(latitude)) === 90
  return `geo:${latitude},${isPole ? '0' : longitude.replace(/^-180$/, '180')}`
}

function nameOfContact({ given, family, organization }: StaticValues['contact']): string {
  const name = [given, family].filter((part) => part !== '').join(' ')
  return name === '' ? organization : name
}

/** vCard 3.0 (RFC 2426), which both systems of phones read. */
function contactOf(values: StaticValues['contact']): string {
  const { given, family, organization, role, street, city, postalCode, country } = values
  const address = [street, city, '', postalCode, country]
  return contentLines([
    ['BEGIN', 'VCARD'],
    ['VERSION', '3.0'],
    ['N', `${escapedText(family)};${escapedText(given)};;;`],
    ['FN', escapedText(nameOfContact(values))],
    ['ORG', escapedText(organization)],
    ['TITLE', escapedText(role)],
    ['TEL;TYPE=CELL', values.mobile],
    ['TEL;TYPE=WORK', values.phone],
    ['EMAIL;TYPE=INTERNET', values.email],
    ['URL', values.website],
    [
      'ADR;TYPE=WORK',
      address.every((part) => part === '') ? '' : `;;${address.map(escapedText).join(';')}`,
    ],
    ['NOTE', escapedText(values.note)],
    ['END', 'VCARD'],
  ])
}

/**
 * An event without a calendar around it (RFC 5545): iPhones do not offer to save one inside of VCALENDAR. Without UID and
 * DTSTAMP, which no phone asks for: they would make the code larger. Times are in UTC; whole days are floating dates.
 */
function eventOf(values: StaticValues['event']): string {
  const { title, isAllDay, start, end, location, notes } = values
  const times: (readonly [string, string])[] = isAllDay
    ? [
        ['DTSTART;VALUE=DATE', compactDay(start, 0)],
        // The first day after the event.
        ['DTEND;VALUE=DATE', end === '' ? '' : compactDay(end, 1)],
      ]
    : [
        ['DTSTART', compactTime(start)],
        ['DTEND', end === '' ? '' : compactTime(end)],
      ]
  return contentLines([
    ['BEGIN', 'VEVENT'],
    ['SUMMARY', escapedText(title)],
    ...times,
    ['LOCATION', escapedText(location)],
    ['DESCRIPTION', escapedText(notes)],
    ['END', 'VEVENT'],
  ])
}

function compactTime(local: string): string {
  return new Date(local).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

function compactDay(local: string, later: number): string {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() + later)
  return day.toISOString().slice(0, 10).replaceAll('-', '')
}

/** A text of vCard and iCalendar. */
function escapedText(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
}

/** Lines of vCard and iCalendar, without those that have no value. */
function contentLines(lines: readonly (readonly [string, string])[]): string {
  return lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${folded(`${name}:${value}`)}\r\n`)
    .join('')
}

const lineBytes = 75

/** A line that goes on after CRLF and a blank wherever it would exceed 75 bytes (RFC 2425); no letter is cut in two. */
function folded(line: string): string {
  const encoder = new TextEncoder()
  let result = ''
  let used = 0
  for (const letter of line) {
    const bytes = encoder.encode(letter).length
    if (used + bytes > lineBytes) {
      result += '\r\n '
      used = 1
    }
    result += letter
    used += bytes
  }
  return result
}
