import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import maxmind, { type Response } from 'maxmind'
import { seededRandom } from '#test/seeded-random.ts'

/** A request as its sender knows it, with the facts that reports should show. */
export interface RandomHit {
  path: string
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
  /** By the names of the dimensions; `target` is the code, and `placement` the code and the mark. */
  expected: Record<string, string>
  /** Who the sender is: address and user agent. */
  visitor: string
}

interface ClientCase {
  verdict: string
  device: string
  browser: string
  system: string
  bot: string
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
  userAgent: string
}

/** The corpus that was approved by eye classifies each user agent. */
function readCorpus(): ClientCase[] {
  const text = readFileSync(new URL('hits/corpus.txt', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => !/^(?:#|$)/.test(line))
  return lines.flatMap((line) => {
    const [verdict = '', device = '', browser = '', system = '', bot = '', hint = '', ...rest] =
      line.split('|').map((column) => column.trim())
    const userAgent = rest.join('|')
    const [name = '', value = ''] = hint.split(': ')
    // No header at all, and HEAD with one, are cases of their own elsewhere.
    if (userAgent === '(none)' || (value === '' && name !== 'GET' && name !== 'HEAD')) return []
    const method = name === 'HEAD' ? 'HEAD' : 'GET'
    const headers: Record<string, string> = value === '' ? {} : { [name]: value }
    return [{ verdict, device, browser, system, bot, method, headers, userAgent }]
  })
}

/** One address of each of these many countries, by a separate reader. */
async function readAddresses(count: number): Promise<{ address: string; country: string }[]> {
  const file = createRequire(import.meta.url).resolve(
    '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
  )
  const reader = await maxmind.open<Response & { country_code?: string }>(file)
  const found = new Map<string, string>()
  for (let n = 0; found.size < count && n < 100_000; n++) {
    const address = `${1 + ((n * 7) % 223)}.${(n * 13) % 256}.${(n * 31) % 256}.9`
    const country = reader.get(address)?.country_code
    const isPrivate = /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100)\./.test(address)
    if (country && !isPrivate && ![...found.values()].includes(country)) found.set(address, country)
  }
  return [...found].map(([address, country]) => ({ address, country }))
}

const languages = ['', 'de-AT,de;q=0.9', 'en-US', 'fr', 'ja-JP', 'pt-BR,pt', 'zz-ZZ', '*']
const languageOf: Record<string, string> = {
  'de-AT,de;q=0.9': 'de',
  'en-US': 'en',
  fr: 'fr',
  'ja-JP': 'ja',
  'pt-BR,pt': 'pt',
}
const referrers: [header: string, referrer: string, page: string][] = [
  ['', '', ''],
  ['https://www.instagram.com/', 'instagram.com', 'instagram.com/'],
  ['https://t.co/abc', 'x.com', 'x.com'],
  ['https://news.example/a/b?c=d#e', 'news.example', 'news.example/a/b'],
  ['android-app://com.slack/', 'slack.com', 'slack.com'],
  ['https://news.example:8443/', 'news.example', 'news.example/'],
  ['javascript:alert(1)', '', ''],
  ["https://evil.example/'><script>x</script>", 'evil.example', ''],
]
const campaigns = ['', '', '', 'spring', 'Über uns', '<b>', '=1+1', "x'; drop table", '%zz']

/** Marks that the links should have, and one that they have not. */
export const printedMarks = ['k7', 'p3'] as const
const marks = [...printedMarks, 'zz', ''] as const

/** So many hits on these links, each with headers that may be forged. Behind one trusted proxy. */
export async function randomHits(
  count: number,
  codes: readonly string[],
  seed: number,
): Promise<RandomHit[]> {
  const random = seededRandom(seed)
  const clients = readCorpus()
  const addresses = await readAddresses(40)
  const pick = <T>(list: readonly T[]): T => {
    const one = list[Math.floor(random() ** 2 * list.length)]
    if (one === undefined) throw new Error('an empty list')
    return one
  }
  return Array.from({ length: count }, () => {
    const client = pick(clients)
    const { address, country } = pick(addresses)
    const code = pick(codes)
    const language = pick(languages)
    const [referer, referrer, page] = pick(referrers)
    const campaign = pick(campaigns)
    const isQr = random() < 0.2
    const mark = isQr ? pick(marks) : ''
    const isPrinted = printedMarks.some((each) => each === mark)
    const path = mark === '' ? `/${code}` : `/Q/${code.toUpperCase()}/${mark}`
    const query = [
      ...(isQr && mark === '' ? ['qr'] : []),
      ...(campaign === '' ? [] : [`utm_source=mail&utm_campaign=${encodeCampaign(campaign)}`]),
      ...(random() < 0.1 ? ['country=XX&verdict=own'] : []),
    ].join('&')
    const headers: Record<string, string> = {
      ...client.headers,
      'User-Agent': client.userAgent,
      // Addresses that a client puts before its own are not believed.
      'X-Forwarded-For': random() < 0.1 ? `8.8.8.8, ${address}` : address,
    }
    if (referer !== '') headers['Referer'] = referer
    if (language !== '') headers['Accept-Language'] = language
    if (random() < 0.05) headers['CF-IPCountry'] = 'KP'
    const { verdict, device, browser, system, bot } = client
    return {
      path: `${path}${query === '' ? '' : `?${query}`}`,
      method: client.method,
      headers,
      visitor: `${address} ${client.userAgent}`,
      expected: {
        target: code,
        verdict,
        device,
        browser,
        system,
        bot,
        country,
        language: languageOf[language] ?? '',
        referrer,
        page: page === '' && referrer !== '' ? `${referrer}/'%3E%3Cscript%3Ex%3C/script%3E` : page,
        source: isQr ? 'qr' : 'link',
        placement: isPrinted ? `${code}/${mark}` : '',
        utm_source: campaign === '' ? '' : 'mail',
        // One campaign is one row, however its letters are written.
        utm_campaign: campaign.toLowerCase(),
        utm_medium: '',
      },
    }
  })
}

function encodeCampaign(campaign: string): string {
  return campaign === '%zz' ? campaign : encodeURIComponent(campaign)
}
