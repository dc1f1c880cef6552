// A thread that makes one PDF and ends (see make-pdf.ts). Plain JavaScript, so that the same file runs from the sources, under
// the test runner and, bundled, from dist/server.
import { parentPort, workerData } from 'node:worker_threads'
import { drawReport } from '../analytics/shared/pdf/pdf-report.mjs'
import { drawPages, textWithoutLetters } from './pdf-pages.mjs'
import { createPen } from './pdf-pen.mjs'

const { content, fonts } = workerData
const isReport = content.report !== undefined
const pen = createPen(fonts, { Creator: 'Hoplet', Producer: 'Hoplet' }, { isReport })
const parts = []
pen.doc.on('data', (part) => parts.push(part))
pen.doc.on('end', () => {
  const bytes = new Uint8Array(Buffer.concat(parts))
  parentPort?.postMessage({ bytes }, [bytes.buffer])
})

const refused = isReport ? undefined : textWithoutLetters(pen, content.pages)
if (refused !== undefined) parentPort?.postMessage({ refused })
else {
  if (isReport) drawReport(pen, content.report)
  else {
    pen.doc.info.Title = pen.firstOf([content.pages.title]) ?? 'Hoplet'
    drawPages(pen, content.pages)
  }
  pen.doc.end()
}
