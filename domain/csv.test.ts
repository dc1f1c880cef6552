import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvCell, toCsv } from './csv.ts'

/** Reads RFC 4180 as a spreadsheet does. */
function read(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let field = ''
  let quoted = false
  for (let i = 0; i < csv.length; i++) {
    const char = csv[i] ?? ''
    if (quoted) {
      if (char !== '"') field += char
      else if (csv[i + 1] === '"') field += csv[++i]
      else quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',') {
      row.push(field)
      field = ''
    } else if (char === '\r' && csv[i + 1] === '\n') {
      i++
      rows.push([...row, field])
      row = []
      field = ''
    } else field += char
  }
  return rows
}

const starts = ['=', '+', '-', '@', '\t', '\r', '\0'] as const

const hostile = fc
  .tuple(
    fc.constantFrom('', ' ', 'a;', ';', ...starts),
    fc.constantFrom('', ';', ...starts),
    fc.string(),
  )
  .map((parts) => parts.join(''))
const words = fc.oneof(
  hostile,
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\r\n', ',', ''),
)

describe('a CSV export', () => {
  test('reads back as it was, but for an apostrophe before every formula', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 6 }), (rows) => {
        const seen = read(toCsv(['a', 'b'], rows)).slice(1)
        expect(seen.length).toBe(rows.length)
        for (const [at, row] of rows.entries()) {
          for (const [column, text] of row.entries()) {
            const shown = seen[at]?.[column] ?? ''
            // A spreadsheet that takes semicolons for separators reads several cells.
            for (const part of shown.split(';'))
              expect(starts.some((sign) => part.startsWith(sign))).toBe(false)
            if (starts.some((sign) => text.startsWith(sign))) expect(shown[0]).toBe("'")
            expect(shown.replaceAll("'", '')).toBe(text.replaceAll("'", ''))
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('keeps numbers as numbers, money with its cents, and empty cells empty', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (cents) => {
        const [, row] = read(toCsv(['count', 'amount', 'note'], [[cents, { cents }, null]]))
        expect(row?.[0]).toBe(String(cents))
        expect(row?.[1]).toMatch(/^-?\d+\.\d\d$/)
        expect(Math.round(Number(row?.[1]) * 100)).toBe(cents)
        expect(row?.[2]).toBe('')
      }),
    )
  })

  test.each<[CsvCell, string]>([
    ['=HYPERLINK("http://x.example","pay")', `"'=HYPERLINK(""http://x.example"",""pay"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    [-1, '-1'],
    [{ cents: 1100 }, '11.00'],
    [{ cents: -440 }, '-4.40'],
    [{ cents: 5 }, '0.05'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['  =1', "'  =1"],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1;b', `"a;'=1+1;b"`],
    ['plain, text', '"plain, text"'],
    ['ada@example.com', 'ada@example.com'],
  ])('writes %j as %j', (cell, field) => {
    expect(toCsv(['x'], [[cell]])).toBe(`x\r\n${field}\r\n`)
  })
})
