export const importStates = [
  'reading',
  'ready',
  'running',
  'waiting',
  'paused',
  'done',
  'failed',
  'undone',
] as const
export type ImportState = (typeof importStates)[number]

/** `taken`: somebody has the code; `here`: the link is there; `case`: an earlier row has the code in other letters. */
export const rowOutcomes = ['made', 'taken', 'here', 'refused', 'case'] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** Filters of the list of rows. */
export const rowFilters = [...rowOutcomes, 'loses', 'failed', 'kept'] as const
export type RowFilter = (typeof rowFilters)[number]

/** Choices for a code that is taken. */
export const rowChoices = ['new', 'skip', 'replace'] as const
export type RowChoice = (typeof rowChoices)[number]

export interface ImportChoices {
  codes: 'keep' | 'random'
  taken: RowChoice
  /** Choices for single rows. */
  rows: { place: number; choice: RowChoice }[]
}

/** Rows by outcome; `coded` of those to be made bring a code, `losing` lose an option, and `taken_own` codes are of links of the account. */
export type ImportTotals = Partial<Record<RowOutcome | 'losing' | 'coded' | 'taken_own', number>>

export const rowResults = ['made', 'replaced', 'skipped', 'failed', 'kept', 'undone'] as const
export type RowResult = (typeof rowResults)[number]

/** Links and codes of one's choice that the plan allows an import: a day, or in all. `free` of them use no allowance. */
export interface ImportAllowance {
  limit_type: 'daily' | 'lifetime'
  links: number
  codes: number
  links_left: number
  codes_left: number
  free: number
}

/** An import as its owner sees it. */
export interface ShownImport {
  id: string
  /** An id of sources.ts, `mapped`, or empty while nobody knows the kind of the file. */
  source: string
  name: string
  state: ImportState
  undoes: boolean
  notice: string | null
  rows: number
  bytes: number
  /** Those of an archive that wait to be written, after its rows. */
  hits: number
  headers: string[] | null
  totals: ImportTotals
  results: Partial<Record<RowResult, number>>
  /** Null without limits. */
  allowance: ImportAllowance | null
  next_at: string
  created_at: string
  started_at: string | null
  ended_at: string | null
  /** The host of its links that come from no domain of the account; '' is that of the server. */
  domain: string
  /** Domains of the account, verified or not, the default one first. Links that come from there keep their host. */
  domains: string[]
}

/** A row of an import as its owner sees it. */
export interface ShownRow {
  place: number
  label: string | null
  code: string | null
  domain: string | null
  url: string | null
  title: string | null
  outcome: RowOutcome | null
  notes: string[]
  losses: string[]
  choice: RowChoice | null
  result: RowResult | null
  /** Where the link of the account with this code leads. */
  present_url: string | null
  /** Cells of a file with unknown columns. */
  cells: string[] | null
}

/** Days that an import takes: with the codes of its rows, and with random ones. Undefined where it needs no days. */
export function importDays({ totals, allowance }: Pick<ShownImport, 'totals' | 'allowance'>) {
  if (allowance?.limit_type !== 'daily') return undefined
  const links = Math.max(countOfNew(totals) - allowance.free, 0)
  const coded = Math.max((totals.coded ?? 0) - allowance.free, 0)
  const random = Math.ceil(links / allowance.links)
  return { withCodes: Math.max(random, Math.ceil(coded / Math.max(allowance.codes, 1))), random }
}

/** Links that a lifetime limit leaves out until there is a larger plan. */
export function overQuota({
  totals,
  allowance,
}: Pick<ShownImport, 'totals' | 'allowance'>): number {
  if (allowance?.limit_type !== 'lifetime') return 0
  return Math.max(countOfNew(totals) - allowance.links_left, 0)
}

/** Rows that become links unless a code that is taken is skipped. */
export function countOfNew({ made = 0, taken = 0, case: sameLetters = 0 }: ImportTotals): number {
  return made + taken + sameLetters
}
