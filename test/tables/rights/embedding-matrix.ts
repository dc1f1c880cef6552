import { apiCatalog } from '#test/catalog.ts'
import { sendPatiently } from '../accounts.ts'
import { actors, headersOf, keyOf, lookupColumnOf, type Outcome, type World } from './matrix.ts'
import type { Matrix } from './signed-matrix.ts'

/** One question: does an actor see this column of what belongs to Ann's row, when it is embedded? */
interface Cell {
  from: string
  /** By the key of Ann's row, or by its key in a public look-up. */
  by: 'key' | 'lookup'
  to: string
  constraint: string
  column: string
}

/** Every column of every relation, embedded in each direction of each foreign key. */
export function embeddedCells(): Cell[] {
  return apiCatalog.foreignKeys.flatMap(({ name, from, to }) =>
    [
      { from, to },
      { from: to, to: from },
    ].flatMap((pair) =>
      (lookupColumnOf(pair.from) ? (['key', 'lookup'] as const) : (['key'] as const)).flatMap(
        (by) =>
          (apiCatalog.relations.get(pair.to)?.columns ?? []).map((column) => ({
            ...pair,
            by,
            constraint: name,
            column,
          })),
      ),
    ),
  )
}

/** `row`, `null` (a row, but not the value), `empty` (nothing embedded), `none` (no row at all), `denied`, or an SQLSTATE. */
export async function embeddedOutcomes(world: World, cells: Cell[]): Promise<Matrix> {
  const matrix = new Map<string, string>()
  for (const cell of cells) {
    const outcomes: Outcome[] = []
    for (const actor of actors) {
      const { status, body } = await sendPatiently(
        world.server,
        headersOf(world, actor),
        'GET',
        embeddedPath(world, cell),
      )
      outcomes.push(outcomeOf(status, body))
    }
    const name = [cell.from, cell.by, cell.to, cell.column].join(' ')
    if (matrix.has(name)) throw new Error(`${name}: two foreign keys`)
    matrix.set(name, outcomes.join(' '))
  }
  return matrix
}

export function embeddedPath(world: World, { from, by, to, constraint, column }: Cell): string {
  const filter =
    by === 'key'
      ? `${keyOf(from)}=eq.${world.keys[from]}`
      : `${lookupColumnOf(from)}=eq.${world.lookups[from]}`
  return `${from}?select=e:${to}!${constraint}(value:${column})&${filter}`
}

function outcomeOf(status: number, body: unknown): Outcome {
  if (status === 401 || status === 403) return 'denied'
  if (status >= 400) return String((body as { code: string }).code)
  const [row] = body as { e: unknown }[]
  if (!row) return 'none'
  const embedded = Array.isArray(row.e) ? (row.e as unknown[])[0] : row.e
  if (embedded === null || embedded === undefined) return 'empty'
  return (embedded as { value: unknown }).value === null ? 'null' : 'row'
}
