import { formatNumber } from '#domain/texts/catalog.ts'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { type TextLanguage, textLanguages } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'

interface ReportRow {
  /** Start of a day, else the value; '' is not known. */
  key: string
  clicks: number
  visitors?: number
}

export interface ReportFigures {
  clicks: number
  visitors?: number
  rows: readonly ReportRow[]
  /** Clicks that are in none of the rows. */
  rest: number
  /** Estimated from one visitor in so many. */
  sampled: number | null
}

export const reportDimensions = ['country', 'device', 'referrer', 'source'] as const
export type ReportDimension = (typeof reportDimensions)[number]

interface ComparedLink {
  code: string
  /** The owner's. */
  title: string | null
  clicks: number
  scans: number
}

interface ReportSplit {
  code: string
  title: string | null
  rule_id: string
  variants: readonly { variant_id: string; clicks: number; visitors: number }[]
  best: string | null
}

/** A shared report as its page, its CSV and its PDF show it. */
export interface SharedReportView {
  host: string
  /** The short code of its link; null: it is about a tag. */
  code: string | null
  tag: string | null
  /** The owner's words. */
  title: string | null
  /** A name that the owner shows. */
  shownName: string | null
  /** IANA name: its days are counted. */
  zone: string
  days: number
  figures: Readonly<Record<ReportDimension | 'day', ReportFigures>> & {
    before: number
    scans: number
    links: number
    compared: readonly ComparedLink[]
    splits: readonly ReportSplit[]
  }
}

/** Title of the owner, else the link or tag. */
export function reportTitle({ title, host, code, tag }: SharedReportView): string {
  return title ?? (code === null ? (tag ?? '') : shownAddress(host, code).join('/'))
}

/** The host and the name of a link: the code of one on a domain begins with its host. */
export function shownAddress(host: string, code: string): [host: string, name: string] {
  const at = code.indexOf('/')
  return at === -1 ? [host, code] : [code.slice(0, at), code.slice(at + 1)]
}

/** Its first and last day, in words. */
function reportPeriod(view: SharedReportView, language: TextLanguage): string {
  const { rows } = view.figures.day
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return ''
  return new Intl.DateTimeFormat(textLanguages[language].locale, {
    dateStyle: 'medium',
    timeZone: view.zone,
  }).formatRange(new Date(first.key), new Date(last.key))
}

/** Its link or tag, its days and their zone. */
export function reportFacts(view: SharedReportView, language: TextLanguage): string[] {
  const { sharedReport: texts } = visitorTexts(language)
  const { host, code, tag, figures, zone } = view
  const about =
    code === null ? texts.tagged({ count: figures.links, tag: tag ?? '' }) : `${host}/${code}`
  return [about, reportPeriod(view, language), zone]
}

/** The difference to the time before; undefined without clicks then. */
export function changeOf(
  view: SharedReportView,
  language: TextLanguage,
): { words: string; isMore: boolean } | undefined {
  const { sharedReport: texts } = visitorTexts(language)
  const { before, day } = view.figures
  if (before === 0) return undefined
  const change = (day.clicks - before) / before
  const percent = percentOf(Math.abs(change), language)
  const values = { count: view.days, percent }
  if (Math.abs(change) < 0.005) return { words: texts.asMany(values), isMore: false }
  const isMore = change > 0
  return { words: isMore ? texts.more(values) : texts.less(values), isMore }
}

/** The part of its clicks that came from QR codes. */
export function scannedPart({ figures }: SharedReportView, language: TextLanguage): string {
  return percentOf(figures.scans / Math.max(1, figures.day.clicks), language)
}

function percentOf(part: number, language: TextLanguage): string {
  const { locale } = textLanguages[language]
  return new Intl.NumberFormat(locale, { style: 'percent' }).format(part)
}

/** Notes under the figures. */
export function notesOf(view: SharedReportView, language: TextLanguage): string[] {
  const { sharedReport: texts } = visitorTexts(language)
  const { day } = view.figures
  return [
    texts.note({ zone: view.zone }),
    ...(day.sampled === null ? [] : [texts.sampled({ count: day.sampled })]),
  ]
}

/** A note on links that are not listed; undefined when all are. */
export function linksNote({ figures }: SharedReportView, language: TextLanguage) {
  const { links, compared } = figures
  if (links <= compared.length) return undefined
  const { sharedReport: texts } = visitorTexts(language)
  return texts.mostClicked({ count: compared.length, all: formatNumber(links, language) })
}

/** A value of a dimension in words. */
export function reportValue(
  dimension: ReportDimension,
  key: string,
  language: TextLanguage,
): string {
  const { sharedReport: texts, clickWords: words } = visitorTexts(language)
  if (key === '') return dimension === 'referrer' ? texts.unknownReferrer() : texts.unknown()
  if (dimension === 'referrer') return key
  if (dimension === 'country') return countryOf(key, textLanguages[language].locale)
  return isClickWord(key, words) ? words[key]() : key
}

function countryOf(key: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(key)) return key
  return new Intl.DisplayNames(locale, { type: 'region' }).of(key) ?? key
}

function isClickWord(
  key: string,
  words: VisitorTexts['clickWords'],
): key is keyof VisitorTexts['clickWords'] {
  return Object.hasOwn(words, key)
}
