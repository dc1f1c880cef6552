import { unicodeHost } from '#domain/domains/unicode-host.ts'
import { countryName, languageName } from '#web/ui/code-names.ts'
import type { ListDimension } from '#domain/reports/hits.ts'
import type { ReportLine } from '#domain/reports/report-answers.ts'
import { verdictWords } from '../report-words.ts'

interface DimensionWords {
  /** Title of a list: 'Countries'. */
  many: string
  /** Name of a filter: 'Country'. */
  one: string
  /** Name of ''. */
  unknown: string
  /** Names of values that are not words by themselves. */
  named?: Readonly<Partial<Record<string, string>>>
}

const unknown = 'Not known'

export const dimensionWords: Readonly<Record<ListDimension, DimensionWords>> = {
  target: { many: 'Links & pages', one: 'Link or page', unknown },
  domain: { many: 'Domains', one: 'Domain', unknown: 'This server' },
  source: {
    many: 'Sources',
    one: 'Source',
    unknown,
    named: { link: 'Link', qr: 'QR code', bio: 'Bio page', popup: 'Popup', api: 'API' },
  },
  referrer: { many: 'Referrers', one: 'Referrer', unknown: 'Direct or unknown' },
  page: { many: 'Pages', one: 'Page', unknown: 'Direct or unknown' },
  country: { many: 'Countries', one: 'Country', unknown },
  region: { many: 'Regions', one: 'Region', unknown },
  city: { many: 'Cities', one: 'City', unknown },
  device: {
    many: 'Devices',
    one: 'Device',
    unknown,
    named: {
      desktop: 'Desktop',
      mobile: 'Mobile',
      tablet: 'Tablet',
      tv: 'TV',
      bot: 'Bot',
      other: 'Other',
    },
  },
  browser: { many: 'Browsers', one: 'Browser', unknown },
  system: { many: 'Systems', one: 'System', unknown },
  language: { many: 'Languages', one: 'Language', unknown },
  rule: { many: 'Rules', one: 'Rule', unknown: 'No rule' },
  variant: { many: 'Variants', one: 'Variant', unknown: 'No variant' },
  placement: { many: 'Placements', one: 'Placement', unknown: 'No placement' },
  utm_source: { many: 'Source', one: 'UTM source', unknown: 'None' },
  utm_medium: { many: 'Medium', one: 'UTM medium', unknown: 'None' },
  utm_campaign: { many: 'Campaign', one: 'UTM campaign', unknown: 'None' },
  utm_term: { many: 'Term', one: 'UTM term', unknown: 'None' },
  utm_content: { many: 'Content', one: 'UTM content', unknown: 'None' },
  verdict: {
    many: 'Traffic quality',
    one: 'Traffic',
    unknown,
    named: Object.fromEntries(
      Object.entries(verdictWords).map(([verdict, { name }]) => [verdict, name]),
    ),
  },
  bot: { many: 'Bots', one: 'Bot', unknown: 'No name' },
}

/** Name of a value; without a name in the browser, the value. */
export function valueName(
  dimension: ListDimension,
  { key, label, kind }: Pick<ReportLine, 'key' | 'label' | 'kind'>,
): string {
  const { unknown: none, named } = dimensionWords[dimension]
  if (key === '') return none
  if (dimension === 'domain') return unicodeHost(key)
  if (dimension === 'country') return countryName(key)
  if (dimension === 'language') return languageName(key)
  if (dimension === 'target') return label === undefined ? 'Deleted' : targetName(label, kind)
  // The key is the link and the mark.
  if (dimension === 'placement') return label ?? key.replace(/^.*\//, '')
  return (named !== undefined && Object.hasOwn(named, key) ? named[key] : undefined) ?? key
}

/** Short codes look like the ends of addresses; on a domain they have their host. */
export function targetName(label: string, kind: string | undefined): string {
  return kind === 'link' && !label.includes('/') ? `/${label}` : label
}
