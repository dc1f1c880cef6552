/** Money is given in whole cents, and written in dollars with both decimals. */
export type CsvCell = string | number | { cents: number } | null

/**
 * A table as CSV (RFC 4180: CRLF, quotes doubled). Texts that a spreadsheet would take for a formula get an apostrophe
 * in front, so that they are shown and never run; numbers of either sign stay numbers.
 */
export function toCsv(head: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return csvLines([head, ...rows])
}

/** A part of such a table. */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(toField).join(',')}\r\n`).join('')
}

// Signs that start a formula, also in their full width and behind blanks that a spreadsheet trims; and characters that
// some spreadsheets drop before they look. Where the decimal sign is a comma, a
// semicolon begins a cell too.
const formula = /(^|;)(?=[\t\r\n\0]|\s*[=+\-@＝＋－＠])/gu

const guarded = /(^|;)'(?=[\t\r\n\0]|\s*[=+\-@＝＋－＠])/gu

function toField(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return (cell.cents / 100).toFixed(2)
  const text = cell.replaceAll(formula, "$1'")
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The text of a cell without the apostrophes that `toCsv` put before its formulas. A text that had such an apostrophe itself loses
 * it.
 */
export function withoutFormulaGuard(text: string): string {
  return text.replaceAll(guarded, '$1')
}
