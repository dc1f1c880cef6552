// A thread that makes one PDF of a shared report and ends (see make-pdf.ts). Plain JavaScript, so that the same file runs
// from the sources, under the test runner and, bundled, from dist/server.
import { parentPort, workerData } from 'node:worker_threads'
import { createPen, page } from './pdf-pen.mjs'
import { drawChart, drawHead, drawTotals } from './pdf-overview.mjs'
import { drawFeet, drawLists, drawNotes, drawTable } from './pdf-tables.mjs'

const { content, fonts } = workerData
const pen = createPen(fonts, { Creator: 'Hoplet', Producer: 'Hoplet' })
pen.doc.info.Title = pen.firstOf(content.title) ?? 'Hoplet'
const parts = []
pen.doc.on('data', (part) => parts.push(part))
pen.doc.on('end', () => {
  const bytes = new Uint8Array(Buffer.concat(parts))
  parentPort?.postMessage(bytes, [bytes.buffer])
})

drawHead(pen, content)
drawTotals(pen, content.totals)
drawChart(pen, content.chart)
for (const table of content.tables) drawTable(pen, table)
drawLists(pen, content.lists)
drawNotes(pen, content.notes)
drawFeet(pen, content.foot, page)
pen.doc.end()
