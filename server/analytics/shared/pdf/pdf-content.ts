import { hopShape } from '#domain/links/hop-print.ts'
import { formatNumber } from '#domain/texts/catalog.ts'
import { defaultLanguage as language, textLanguages } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { dayLabels, highestOf } from '#public-pages/report/shared/chart-axis.ts'
import {
  changeOf,
  linksNote,
  notesOf,
  reportDimensions,
  reportFacts,
  reportTitle,
  reportValue,
  scannedPart,
  type SharedReportView,
} from '#public-pages/report/shared/report-view.ts'

/** Texts of which the first that the font can draw is shown. */
type Alternatives = readonly (string | null)[]

interface PdfTable {
  heading?: string
  caption?: PdfName
  columns: readonly [string, string, string]
  rows: readonly {
    name: PdfName
    /** The picture of its short code. */
    print?: ReturnType<typeof hopShape>
    mark?: string
    cells: readonly [string, string]
    /** Length of its bar: 0 to 1. */
    part: number
  }[]
  note?: string
}

interface PdfName {
  title: string | null
  address: string | null
}

/** Everything that a PDF shows, in words and parts of 1, for the thread that draws it (pdf-worker.mjs). */
export interface PdfContent {
  owner: string | null
  readOnly: string
  title: Alternatives
  facts: readonly Alternatives[]
  totals: readonly { name: string; value: string; note?: string | undefined; isMore?: boolean }[]
  chart: {
    scale: readonly string[]
    bars: readonly number[]
    labels: readonly { index: number; anchor: 'start' | 'middle' | 'end'; text: string }[]
  }
  tables: readonly PdfTable[]
  lists: readonly {
    name: string
    rows: readonly { name: string; count: string; part: number }[]
    note?: string
  }[]
  notes: readonly string[]
  foot: string
}

const number = (count: number) => formatNumber(count, language)

/** The figures of the page for print. */
export function pdfContent(view: SharedReportView, madeAt: Date): PdfContent {
  const { sharedReport: texts } = visitorTexts(language)
  const { figures, host, code, tag, zone } = view
  const [about = '', ...facts] = reportFacts(view, language)
  const links = code === null ? `${texts.links()}: ${number(figures.links)}` : null
  const moment = new Intl.DateTimeFormat(textLanguages[language].locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: zone,
  })
  return {
    owner: view.shownName,
    readOnly: texts.readOnly(),
    title: [reportTitle(view), code === null ? tag : `${host}/${code}`, host],
    facts: [[about, links], ...facts.map((fact) => [fact])],
    totals: totalsOf(view),
    chart: chartOf(view),
    tables: [...(code === null ? [comparedTable(view)] : []), ...splitTables(view)],
    lists: listsOf(view),
    notes: notesOf(view, language),
    foot: `${moment.format(madeAt)} · ${host}`,
  }
}

function totalsOf(view: SharedReportView): PdfContent['totals'] {
  const { sharedReport: texts } = visitorTexts(language)
  const { day, scans } = view.figures
  const change = changeOf(view, language)
  return [
    {
      name: texts.clicks(),
      value: number(day.clicks),
      note: change?.words,
      isMore: change?.isMore ?? false,
    },
    { name: texts.visitors(), value: number(day.visitors ?? 0) },
    {
      name: texts.fromQr(),
      value: scannedPart(view, language),
      note: texts.scans({ count: scans }),
    },
  ]
}

function chartOf({ figures: { day }, zone }: SharedReportView): PdfContent['chart'] {
  const highest = highestOf(day.rows)
  const short = new Intl.DateTimeFormat(textLanguages[language].locale, {
    month: 'short',
    day: 'numeric',
    timeZone: zone,
  })
  return {
    scale: [highest, highest / 2, 0].map(number),
    bars: day.rows.map(({ clicks }) => clicks / highest),
    labels: dayLabels(day.rows.length).map(({ index, anchor }) => ({
      index,
      anchor,
      text: short.format(new Date(day.rows[index]?.key ?? 0)),
    })),
  }
}

function comparedTable(view: SharedReportView): PdfTable {
  const { sharedReport: texts } = visitorTexts(language)
  const { compared } = view.figures
  const most = Math.max(1, ...compared.map(({ clicks }) => clicks))
  const note = compared.length === 0 ? texts.noLinks() : linksNote(view, language)
  return {
    columns: [texts.link(), texts.clicks(), texts.scansColumn()],
    rows: compared.map(({ code, title, clicks, scans }) => ({
      name: { title, address: `${view.host}/${code}` },
      print: hopShape(code),
      cells: [number(clicks), number(scans)],
      part: clicks / most,
    })),
    ...(note !== undefined && { note }),
  }
}

function splitTables({ host, figures }: SharedReportView): PdfTable[] {
  const { sharedReport: texts } = visitorTexts(language)
  return figures.splits.map(({ code, title, variants, best }, index) => {
    const most = Math.max(1, ...variants.map(({ clicks }) => clicks))
    return {
      ...(index === 0 && { heading: texts.splits() }),
      caption: { title, address: `${host}/${code}` },
      columns: [texts.variantColumn(), texts.clicks(), texts.visitors()],
      rows: variants.map(({ variant_id: name, clicks, visitors }) => ({
        name: { title: texts.variant({ name }), address: null },
        ...(name === best && { mark: texts.better() }),
        cells: [number(clicks), number(visitors)],
        part: clicks / most,
      })),
    }
  })
}

function listsOf({ figures }: SharedReportView): PdfContent['lists'] {
  const { sharedReport: texts } = visitorTexts(language)
  return reportDimensions.map((dimension) => {
    const { rows, rest } = figures[dimension]
    const most = Math.max(1, ...rows.map(({ clicks }) => clicks))
    const note =
      rows.length === 0 ? texts.none() : rest > 0 ? texts.rest({ count: rest }) : undefined
    return {
      name: texts[dimension](),
      rows: rows.map(({ key, clicks }) => ({
        name: reportValue(dimension, key, language),
        count: number(clicks),
        part: clicks / most,
      })),
      ...(note !== undefined && { note }),
    }
  })
}
