import { LRUCache } from 'lru-cache'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import type { SharedReportView } from '#public-pages/report/shared/report-view.ts'
import { HttpError } from '../../../http/errors.ts'
import type { MakePdf } from '../../../pdf/make-pdf.ts'
import { fileName } from '../report-files.ts'
import { pdfContent } from './pdf-content.ts'

const everyMs = 60_000
/** Time in which a file is served while no other one may be made. */
const keptMs = 2 * everyMs
const maxKept = 200
const maxKeptBytes = 32 * 1024 * 1024
const maxReports = 10_000

interface ReportPdf {
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** PDFs of shared reports: one in a minute for each report. */
export function createReportPdfs(makePdf: MakePdf) {
  const lastMade = new LRUCache<string, number>({ max: maxReports, ttl: everyMs })
  const kept = new LRUCache<string, ReportPdf>({
    max: maxKept,
    maxSize: maxKeptBytes,
    sizeCalculation: ({ bytes }) => bytes.byteLength,
    ttl: keptMs,
  })
  const making = new Map<string, Promise<ReportPdf>>()

  async function make(read: () => Promise<SharedReportView>): Promise<ReportPdf> {
    const view = await read()
    const report = pdfContent(view, new Date())
    return { name: fileName(view, 'pdf'), bytes: await makePdf({ report }) }
  }

  async function makeAndKeep(
    id: string,
    key: string,
    read: () => Promise<SharedReportView>,
  ): Promise<ReportPdf> {
    lastMade.set(id, Date.now())
    try {
      const pdf = await make(read)
      kept.set(key, pdf)
      return pdf
    } catch (error) {
      lastMade.delete(id)
      throw error
    } finally {
      making.delete(key)
    }
  }

  return {
    /**
     * @param id of the report
     * @throws {HttpError} 429 when another one was made within a minute and this one is not kept
     */
    pdfOf(id: string, days: number, read: () => Promise<SharedReportView>): Promise<ReportPdf> {
      const key = `${id} ${days}`
      const running = making.get(key)
      if (running) return running
      if (lastMade.has(id)) {
        const pdf = kept.get(key)
        if (pdf) return Promise.resolve(pdf)
        const seconds = Math.ceil(lastMade.getRemainingTTL(id) / 1000)
        return Promise.reject(tooOften(Math.max(1, seconds)))
      }
      const made = makeAndKeep(id, key, read)
      making.set(key, made)
      return made
    },
  }
}

function tooOften(seconds: number): HttpError {
  const { sharedReport: texts } = visitorTexts(defaultLanguage)
  return new HttpError(429, texts.pdfTooOften(), { 'Retry-After': String(seconds) })
}
