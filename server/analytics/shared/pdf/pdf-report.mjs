// A shared report, on as many A4 pages as it needs.
import { drawChart, drawHead, drawTotals } from './pdf-overview.mjs'
import { drawFeet, drawLists, drawNotes, drawTable } from './pdf-tables.mjs'

export function drawReport(pen, content) {
  pen.doc.info.Title = pen.firstOf(content.title) ?? 'Hoplet'
  drawHead(pen, content)
  drawTotals(pen, content.totals)
  drawChart(pen, content.chart)
  for (const table of content.tables) drawTable(pen, table)
  drawLists(pen, content.lists)
  drawNotes(pen, content.notes)
  drawFeet(pen, content.foot)
}
