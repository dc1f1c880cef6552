import type { CsvCell } from '#domain/csv.ts'
import { toCsv } from '#domain/csv.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import {
  reportDimensions,
  type SharedReportView,
  reportValue,
} from '#public-pages/report/shared/report-view.ts'

/** One table with every figure of the page: which part of the report a row is of, its name and its figures. */
export function reportCsv(view: SharedReportView): string {
  const { sharedReport: texts, clickWords } = visitorTexts(defaultLanguage)
  const { figures, host } = view
  const head = [
    texts.part(),
    texts.name(),
    texts.link(),
    texts.clicks(),
    texts.visitors(),
    clickWords.qr(),
  ]
  const { day } = figures
  const rows: CsvCell[][] = [
    [texts.total(), '', '', day.clicks, day.visitors ?? 0, figures.scans],
    ...day.rows.map(({ key, clicks, visitors }) => [
      texts.day(),
      dayIn(view.zone, key),
      '',
      clicks,
      visitors ?? 0,
      null,
    ]),
    ...figures.compared.map(({ code, title, clicks, scans }) => [
      texts.link(),
      title ?? '',
      `${host}/${code}`,
      clicks,
      null,
      scans,
    ]),
    ...figures.splits.flatMap(({ code, variants }) =>
      variants.map(({ variant_id: name, clicks, visitors }) => [
        texts.variantColumn(),
        name,
        `${host}/${code}`,
        clicks,
        visitors,
        null,
      ]),
    ),
    ...reportDimensions.flatMap((dimension) =>
      figures[dimension].rows.map(({ key, clicks }) => [
        texts[dimension](),
        reportValue(dimension, key, defaultLanguage),
        '',
        clicks,
        null,
        null,
      ]),
    ),
  ]
  return toCsv(head, rows)
}

/** A name of a file that each system takes: the code or the period, never the owner's words. */
export function fileName(view: SharedReportView, kind: 'csv' | 'pdf'): string {
  const { rows } = view.figures.day
  const [first, last] = [rows[0], rows.at(-1)].map((row) => (row ? dayIn(view.zone, row.key) : ''))
  return `${view.code ?? 'report'}-${first}-${last}.${kind}`
}

/** `2026-11-28` */
function dayIn(zone: string, instant: string): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: zone }).format(
    new Date(instant),
  )
}
