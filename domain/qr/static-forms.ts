import * as z from 'zod/mini'
import { readEmailAddress } from '#domain/forms/email-address.ts'
import { isVisible, limitedText, requiredText } from '#domain/forms/visible-text.ts'
import { fieldMessages } from '#domain/texts/texts.ts'

/** Kinds of codes that are not links, in the order of the screen. */
export const staticKinds = [
  'wifi',
  'contact',
  'email',
  'phone',
  'sms',
  'place',
  'event',
  'text',
] as const
export type StaticKind = (typeof staticKinds)[number]

const sentences = {
  control: 'Please remove the invisible character',
  ssid: 'Please enter the name of the network',
  ssidLength: 'The name of a network has at most 32 bytes',
  wifiPassword: 'A Wi-Fi password has 8 to 63 characters',
  contact: 'Please enter a name or a company',
  website: 'Please enter an address such as example.com',
  phone: 'Please enter a phone number such as +49 30 123456',
  latitude: 'Latitude is a number from -90 to 90',
  longitude: 'Longitude is a number from -180 to 180',
  title: 'Please enter a title',
  start: 'Please choose a start',
  end: 'Please choose an end, or none',
  order: 'The end is before the start',
  text: 'Please enter a text',
} as const

const lineLength = 200
/** More than a code holds of any characters (ISO/IEC 18004: 7,089 digits). */
const textLength = 8_000
const longText = `Please use at most ${textLength} characters`
const longLine = `Please use at most ${lineLength} characters`

const hasNoControl = (text: string) => !/[\p{Cc}\p{Cs}]/u.test(text)
/** Lines end in \n, also those of other systems. */
const unified = (text: string) => text.replaceAll(/\r\n?/g, '\n')
const isClean = (text: string) => hasNoControl(unified(text).replaceAll(/[\n\t]/g, ''))
const bytesOf = (text: string) => new TextEncoder().encode(text).length

const line = limitedText(lineLength, longLine).check(z.refine(hasNoControl, sentences.control))
const neededLine = (missing: string) =>
  requiredText(lineLength, missing, longLine).check(z.refine(hasNoControl, sentences.control))
const text = limitedText(textLength, longText).check(
  z.refine(isClean, sentences.control),
  z.overwrite(unified),
)

/** A typed value as the form keeps it; blank is none where the field is optional. */
function read(reading: (typed: string) => string | undefined, problem: string, optional = false) {
  return z.pipe(
    z.string(),
    z.transform((typed: string, { issues }) => {
      if (optional && typed.trim() === '') return ''
      const value = reading(typed)
      if (value !== undefined) return value
      issues.push({ code: 'custom', message: problem, input: typed })
      return z.NEVER
    }),
  )
}

/**
 * A phone number without the marks between its digits: `+49 (0)30 12-34` is `+49301234`. Calls of networks (`*#21#`) are
 * none: a code on a wall must not change a phone.
 */
function readPhoneNumber(typed: string): string | undefined {
  const number = typed
    .normalize('NFKC')
    .replace(/^(\s*\+[\d\s]+)\(\s*0\s*\)/, '$1')
    .replaceAll(/[\s()./\p{Pd}]/gu, '')
  return /^\+?\d{3,15}$/.test(number) ? number : undefined
}

/** A web address, with https:// where no scheme was typed. */
function readWebsite(typed: string): string | undefined {
  const address = typed.trim()
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(address)
  if (/\s/.test(address) || address.length > 2_000) return undefined
  try {
    const url = new URL(hasScheme ? address : `https://${address}`)
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
    return isWeb && url.hostname.includes('.') ? url.href : undefined
  } catch {
    return undefined
  }
}

const coordinatePattern = /^[+-]?\d{1,3}([.,]\d+)?$/

/** Degrees with at most six decimals, which are 11 cm. */
function coordinate(most: number, problem: string) {
  const reading = (typed: string) => {
    const number = typed.trim().replace('\u2212', '-')
    const degrees = coordinatePattern.test(number) ? Number(number.replace(',', '.')) : Number.NaN
    if (!(Math.abs(degrees) <= most)) return undefined
    // Not '-0'.
    return String(Number(degrees.toFixed(6)) + 0)
  }
  return read(reading, problem)
}

/** Latitude and longitude of a text such as `52.52, 13.405`, which maps copy. */
export function readPlace(typed: string): { latitude: string; longitude: string } | undefined {
  const pair = /^\s*([+-]?\d{1,3}\.\d+)\s*[,;\s]\s*([+-]?\d{1,3}\.\d+)\s*$/.exec(typed)
  return pair?.[1] === undefined || pair[2] === undefined
    ? undefined
    : { latitude: pair[1], longitude: pair[2] }
}

/** A typed network name is kept to the letter: a blank at its end belongs to it. */
const ssid = z.string().check(
  z.refine(isVisible, sentences.ssid),
  z.refine(hasNoControl, sentences.control),
  z.refine((name) => bytesOf(name) <= 32, sentences.ssidLength),
)

/** A passphrase, or the key itself as 64 hexadecimal digits (IEEE 802.11i). */
const isWifiPassword = (password: string) =>
  (bytesOf(password) >= 8 && bytesOf(password) <= 63) || /^[\da-f]{64}$/i.test(password)

const wifi = z.discriminatedUnion('security', [
  z.object({
    security: z.literal('WPA'),
    ssid,
    password: z
      .string()
      .check(
        z.refine(isWifiPassword, sentences.wifiPassword),
        z.refine(hasNoControl, sentences.control),
      ),
    isHidden: z.boolean(),
  }),
  z.object({ security: z.literal('nopass'), ssid, password: z.string(), isHidden: z.boolean() }),
])

const email = read(readEmailAddress, fieldMessages.email)
const phone = read(readPhoneNumber, sentences.phone)

const hasName = ({ given, family, organization }: Record<string, unknown>) =>
  [given, family, organization].some((part) => typeof part === 'string' && isVisible(part))

const contact = z
  .object({
    given: line,
    family: line,
    organization: line,
    role: line,
    mobile: read(readPhoneNumber, sentences.phone, true),
    phone: read(readPhoneNumber, sentences.phone, true),
    email: read(readEmailAddress, fieldMessages.email, true),
    website: read(readWebsite, sentences.website, true),
    street: line,
    postalCode: line,
    city: line,
    country: line,
    note: text,
  })
  .check(
    z.refine(hasName, { path: ['organization'], message: sentences.contact, when: () => true }),
  )

const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/
const isTime = (typed: string) => localTime.test(typed) && !Number.isNaN(Date.parse(typed))

/** Whether the end, if there is one, is not before the start; whole days may be the same. */
function isInOrder({ start, end, isAllDay }: Record<string, unknown>): boolean {
  if (typeof start !== 'string' || typeof end !== 'string' || !isTime(start) || !isTime(end))
    return true
  return isAllDay === true
    ? end.slice(0, 10) >= start.slice(0, 10)
    : Date.parse(end) >= Date.parse(start)
}

const event = z
  .object({
    title: neededLine(sentences.title),
    isAllDay: z.boolean(),
    /** A local time, `2026-12-01T08:00`; that of a whole day does not count. */
    start: z.string().check(z.refine(isTime, sentences.start)),
    end: z.string().check(z.refine((end) => end === '' || isTime(end), sentences.end)),
    location: line,
    notes: text,
  })
  .check(z.refine(isInOrder, { path: ['end'], message: sentences.order, when: () => true }))

/** The forms of all kinds: typed texts become the values of a payload. Each problem is at its field. */
export const staticForms = {
  wifi,
  contact,
  email: z.object({ to: email, subject: line, body: text }),
  phone: z.object({ phone }),
  sms: z.object({ phone, message: text }),
  place: z.object({
    latitude: coordinate(90, sentences.latitude),
    longitude: coordinate(180, sentences.longitude),
  }),
  event,
  text: z.object({
    text: requiredText(textLength, sentences.text, longText).check(
      z.refine(isClean, sentences.control),
      z.overwrite(unified),
    ),
  }),
} as const

/** Typed values of each form. */
export type StaticFields = { [Kind in StaticKind]: z.input<(typeof staticForms)[Kind]> }
/** Values of each form that has no problem. */
export type StaticValues = { [Kind in StaticKind]: z.output<(typeof staticForms)[Kind]> }

/** Forms before anything was typed. */
export const emptyStaticFields: StaticFields = {
  wifi: { security: 'WPA', ssid: '', password: '', isHidden: false },
  contact: {
    given: '',
    family: '',
    organization: '',
    role: '',
    mobile: '',
    phone: '',
    email: '',
    website: '',
    street: '',
    postalCode: '',
    city: '',
    country: '',
    note: '',
  },
  email: { to: '', subject: '', body: '' },
  phone: { phone: '' },
  sms: { phone: '', message: '' },
  place: { latitude: '', longitude: '' },
  event: { title: '', isAllDay: false, start: '', end: '', location: '', notes: '' },
  text: { text: '' },
}
