import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

/** The outcomes of a cell, one word for each caller, by the cell's name. The last word of a name is the column. */
export type Matrix = ReadonlyMap<string, string>

/**
 * A file with the outcomes that a reviewer has signed. To sign a change, run its test with `-u` and review the diff.
 *
 * A line is a cell: its name and its outcomes. The column `*` covers every column that has no line, so a new column that
 * behaves like most of its relation needs none; domain/database.generated.ts shows its grants.
 */
export interface SignedFile {
  path: string
  /** Words of a cell's name, and their widths: `{ relation: 20, verb: 12, column: 28 }`. */
  name: Readonly<Record<string, number>>
  callers: readonly string[]
  /** The width of an outcome. */
  width: number
  /** Cells that always have a line. */
  isNamed: (name: string, outcomes: string) => boolean
}

/** Signs `found`, or compares it with the file. `-u` does not sign a cell that is denied to a caller and was not. */
export async function expectSigned(file: SignedFile, found: Matrix): Promise<void> {
  const signed = await readSigned(file, found.keys())
  expect(newlyDenied(signed, found), 'not by -u: write these lines by hand, if meant').toEqual([])
  await expect(printMatrix(file, collapse(found, file.isNamed))).toMatchFileSnapshot(file.path)
}

/** The signed outcomes of the cells with these names; cells of the file that do not exist come too. */
export async function readSigned(
  file: Pick<SignedFile, 'path' | 'name'>,
  names: Iterable<string>,
): Promise<Matrix> {
  const text = await readFile(file.path, 'utf8')
  return expand(parseMatrix(text, Object.keys(file.name).length), names)
}

const restOf = (name: string) => name.replace(/ \S+$/, ' *')

/** Puts `*` for the columns with the most common outcomes. */
export function collapse(matrix: Matrix, isNamed: SignedFile['isNamed']): Matrix {
  const counts = new Map<string, Map<string, number>>()
  for (const [name, outcomes] of matrix) {
    if (isNamed(name, outcomes)) continue
    const ofSubject = counts.get(restOf(name)) ?? new Map<string, number>()
    counts.set(restOf(name), ofSubject.set(outcomes, (ofSubject.get(outcomes) ?? 0) + 1))
  }
  const lines = new Map<string, string>()
  for (const [name, outcomes] of matrix) {
    const [common] = [...(counts.get(restOf(name)) ?? [])].toSorted(([, a], [, b]) => b - a)
    const isRest = common?.[0] === outcomes && common[1] > 1 && !isNamed(name, outcomes)
    lines.set(isRest ? restOf(name) : name, outcomes)
  }
  return lines
}

/** The outcomes of each cell: its line, or that of `*`. */
export function expand(lines: Matrix, names: Iterable<string>): Matrix {
  const cells = new Map<string, string>()
  const left = new Map(lines)
  for (const name of names) {
    const outcomes = lines.get(name) ?? lines.get(restOf(name))
    if (outcomes !== undefined) cells.set(name, outcomes)
    left.delete(name)
    left.delete(restOf(name))
  }
  return new Map([...cells, ...left])
}

/**
 * The cells that are denied to a caller and were not, as lines. A view runs with the rights of its caller, so a grant on the
 * table below that is missing denies a new column too.
 */
export function newlyDenied(signed: Matrix, found: Matrix): string[] {
  return [...signed].flatMap(([name, outcomes]) => {
    const before = outcomes.split(' ')
    const after = found.get(name)?.split(' ') ?? []
    const isNew = after.some((each, index) => each === 'denied' && before[index] !== 'denied')
    return isNew ? [`${name} ${after.join(' ')}`] : []
  })
}

function printMatrix({ name, callers, width }: SignedFile, lines: Matrix): string {
  const widths = Object.values(name)
  const rows: [string[], readonly string[]][] = [
    [Object.keys(name), callers],
    ...[...lines].map(([words, outcomes]): [string[], string[]] => [
      words.split(' '),
      outcomes.split(' '),
    ]),
  ]
  const printed = rows.map(([words, outcomes]) => {
    const cells = [
      ...words.map((word, at) => padded(word, widths[at] ?? width)),
      ...outcomes.map((outcome) => padded(outcome, width)),
    ]
    return cells.join('').trimEnd()
  })
  return `${printed.join('\n')}\n`
}

/** A word that is too long keeps a space behind it. */
const padded = (word: string, width: number) => `${word.padEnd(width - 1)} `

function parseMatrix(text: string, nameWords: number): Matrix {
  const rows = text.trimEnd().split('\n').slice(1)
  return new Map(
    rows.map((line) => {
      const words = line.split(/ +/)
      return [words.slice(0, nameWords).join(' '), words.slice(nameWords).join(' ')]
    }),
  )
}

/** The differences, one line a cell: `name: signed -> found`. */
export function differences(signed: Matrix, found: Matrix): string[] {
  return [...new Set([...signed.keys(), ...found.keys()])]
    .filter((name) => signed.get(name) !== found.get(name))
    .map((name) => `${name}: ${signed.get(name) ?? 'absent'} -> ${found.get(name) ?? 'absent'}`)
}
