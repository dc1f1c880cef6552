import {
  countOfNew,
  importDays,
  type ImportState,
  overQuota,
  type RowChoice,
  type RowFilter,
  type RowOutcome,
  type RowResult,
  type ShownImport,
  type ShownRow,
} from '#domain/transfer/import-shapes.ts'
import { type ImportSourceId, importSources } from '#domain/transfer/sources.ts'

export const outcomeWords: Record<RowOutcome, string> = {
  made: 'Will be made',
  taken: 'Code taken',
  here: 'Already here',
  refused: 'Refused',
  case: 'Differs by case',
}

export const resultWords: Record<RowResult, string> = {
  made: 'Made',
  replaced: 'Replaced',
  skipped: 'Skipped',
  failed: 'Failed',
  kept: 'Kept: it was clicked',
  undone: 'Undone',
}

export const choiceWords: Record<RowChoice, string> = {
  new: 'new code',
  skip: 'skip',
  replace: 'replace mine',
}

export const stateWords: Record<ImportState, string> = {
  reading: 'Reading',
  ready: 'Waits for you',
  running: 'Running',
  waiting: 'Waiting',
  paused: 'Paused',
  done: 'Done',
  failed: 'Failed',
  undone: 'Undone',
}

/** The kind of a file or service. */
export function sourceWords({ source, headers }: Pick<ShownImport, 'source' | 'headers'>): string {
  if (source === '') return 'Unknown columns'
  if (source === 'mapped') return 'Your columns'
  const { name } = importSources[source as ImportSourceId]
  return headers === null ? name : `${name} export`
}

export function amountOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

/** A card of the dry run: a filter of the list, its figure, and a line below it. */
export interface OutcomeCard {
  filter: RowFilter | undefined
  name: string
  count: number
  line: string
}

export function outcomeCards(shown: ShownImport): OutcomeCard[] {
  const { totals } = shown
  const losing = totals.losing ?? 0
  const over = overQuota(shown)
  const card = (filter: RowOutcome, some: string, none: string): OutcomeCard => {
    const count = totals[filter] ?? 0
    return { filter, name: outcomeWords[filter], count, line: count === 0 ? none : some }
  }
  return [
    card(
      'made',
      losing === 0 ? 'with all they have' : `${amountOf(losing, 'row')} lose something`,
      'none',
    ),
    card('taken', 'choose for each', 'none here'),
    card('here', 'left as they are', 'none here'),
    card('refused', 'see why', 'none here'),
    card('case', 'choose for each', 'none here'),
    {
      filter: undefined,
      name: 'Over quota',
      count: over,
      line: over === 0 ? 'none here' : 'waits, not lost',
    },
  ]
}

/** The import in days of the plan; undefined without limits. */
export function quotaSentence(shown: ShownImport): string | undefined {
  const { allowance, totals } = shown
  if (allowance === null) return undefined
  const free =
    allowance.free > 0 ? ` ${amountOf(allowance.free, 'link')} of yours need no quota.` : ''
  const days = importDays(shown)
  if (days === undefined) {
    if (overQuota(shown) === 0) return `All of it fits into your plan.${free}`
    return `Your plan has room for ${amountOf(allowance.links_left, 'link')}, ${allowance.codes_left.toLocaleString('en-US')} with a code. The rest waits for a larger plan.${free}`
  }
  const random = `${allowance.links.toLocaleString('en-US')} a day: ${amountOf(days.random, 'day')}`
  if ((totals.coded ?? 0) === 0) return `${random}. It resumes by itself.${free}`
  return `With your own codes ${allowance.codes.toLocaleString('en-US')} a day: ${amountOf(days.withCodes, 'day')}. With random codes ${random}. It resumes by itself; undo it all until a day after it ends.${free}`
}

/** Rows that the job writes with these choices. */
export function countOfJob(shown: ShownImport, taken: RowChoice): number {
  const { totals } = shown
  return taken === 'skip' ? (totals.made ?? 0) : countOfNew(totals)
}

/** The small words beside a row. */
export function noteOf({ losses, notes }: ShownRow): string {
  const loses = losses.length === 0 ? '' : `loses: ${losses.join(', ')}`
  return [...notes, loses].filter(Boolean).join(' · ')
}

/** How long the rest takes, from the pace so far. */
export function timeLeft(shown: ShownImport, now = Date.now()): string | undefined {
  const { results, started_at: startedAt, hits } = shown
  const todo = rowsToWrite(shown)
  const written = (results.made ?? 0) + (results.replaced ?? 0) + (results.failed ?? 0)
  const seconds = startedAt === null ? 0 : (now - Date.parse(startedAt)) / 1_000
  // Hits take another time than rows.
  if (written < 50 || seconds < 3 || hits > 0) return undefined
  const minutes = Math.ceil((todo - written) / (written / seconds) / 60)
  return minutes <= 1 ? 'less than a minute left' : `about ${minutes} minutes left`
}

/** All rows but those that were skipped before the job began. */
export function rowsToWrite({ rows, results }: ShownImport): number {
  return rows - (results.skipped ?? 0)
}
