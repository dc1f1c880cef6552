import { isOfQrCode } from '#domain/links/qr-address.ts'
import { hasPages, siteOfApp, siteOfHost } from './referrer-sites.ts'

/** Where a hit came from, by its referrer and the query of the short link. '' is not known or none. */
export interface Origin {
  /** Site of the referring page or app (referrer-sites.ts), without port; the id of an app of no known site. At most 253 characters. */
  host: string
  /** Path of the referring page, as sent, at most 100 characters. */
  path: string
  /** Campaigns in lower case: `Newsletter` and `newsletter` are one row. */
  utm_source: string
  utm_medium: string
  utm_campaign: string
  utm_term: string
  utm_content: string
  /** The ids of the link's rule, and of the variant of its split, that decided. */
  rule: string
  variant: string
  /** The scanned placement: the id of the link, a slash and the mark. */
  placement: string
  /** 'qr' if the query has the parameter that QR codes carry: `/code?qr`. */
  source: 'link' | 'qr'
}

const maxTextLength = 100
const maxQueryLength = 8_192
const maxReferrerLength = 2_048

/** Reads headers of strangers: any text is fine, and the time is linear in its length. */
export function originOf(
  referrer: string,
  query: string,
  known: Pick<Origin, 'rule' | 'variant' | 'placement'> = { rule: '', variant: '', placement: '' },
): Origin {
  const values = valuesIn(query.slice(0, maxQueryLength))
  const utm = (name: string) => plainText(values.get(`utm_${name}`) ?? '')
  return {
    ...pageOf(referrer.slice(0, maxReferrerLength)),
    utm_source: utm('source'),
    utm_medium: utm('medium'),
    utm_campaign: utm('campaign'),
    utm_term: utm('term'),
    utm_content: utm('content'),
    ...known,
    source: isOfQrCode(query.replace(/^\?/, '')) ? 'qr' : 'link',
  }
}

function pageOf(referrer: string): Pick<Origin, 'host' | 'path'> {
  const app = /^android-app:\/\/([a-z]\w*(?:\.\w+)+)(?:[/?#]|$)/i.exec(referrer)?.[1]
  if (app !== undefined) return { host: siteOfApp(app.slice(0, 253).toLowerCase()), path: '' }
  const url =
    /^https?:\/\//i.test(referrer) && URL.canParse(referrer) ? new URL(referrer) : undefined
  const sent = url?.hostname.replace(/\.$/, '') ?? ''
  const host = siteOfHost(sent)
  if (!url || host === '' || host.length > 253) return { host: '', path: '' }
  const path = hasPages(sent) ? url.pathname : ''
  if (path.length <= maxTextLength) return { host, path }
  // The cut must not leave half of an escape.
  return { host, path: path.slice(0, maxTextLength).replace(/%.?$/, '') }
}

/** The first value of each parameter, not decoded: decoding thousands that no one reads would take milliseconds. */
function valuesIn(query: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const pair of query.replace(/^\?/, '').split('&')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    if (!values.has(name)) values.set(name, value)
  }
  return values
}

const escapedCharacters =
  /(?:%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3})+/gi

/** Decodes a value, and leaves escapes that are no UTF-8 as they are. */
function decode(value: string): string {
  return value.replaceAll('+', ' ').replaceAll(escapedCharacters, (escapes) => {
    const text = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString()
    return text.includes('\uFFFD') ? escapes : text
  })
}

/** In lower case, without line breaks and characters that change the direction of text. */
function plainText(value: string): string {
  const text = decode(value)
    .toWellFormed()
    .toLowerCase()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ')
  // The cut must not leave half of a character.
  return text
    .trim()
    .slice(0, maxTextLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}
