import type { Filter } from './parse-filters.ts'
import type { ColumnPath } from './reader.ts'

export interface Ordering {
  field: ColumnPath
  /** The to-one embedding of the column. */
  embedding?: string
  direction: 'asc' | 'desc'
  nulls?: 'first' | 'last'
}

/** A parsed query string, not yet checked against the catalog. Each embedding has a separate query. */
export interface Query {
  select: SelectItem[]
  filters: Filter[]
  order: Ordering[]
  limit?: number
  offset: number
  /** The keys of a body that count, from `columns`. */
  columns?: string[]
  onConflict?: string[]
}

/** `alias:column->key::cast`, also counted, summed and so on where aggregates are switched on. */
export interface SelectedField {
  kind: 'field'
  /** Undefined for `count()` only. */
  field?: ColumnPath
  alias: string | undefined
  cast?: string | undefined
  aggregate?: Aggregate
  /** Cast of the aggregate: `amount.sum()::text`. */
  aggregateCast?: string | undefined
}

/** Rows of a related relation, as part of each row: `alias:target!hint!inner(…)`. */
export interface Embedding {
  kind: 'embedding'
  /** A relation, a foreign key, or the column of one. */
  target: string
  /** A foreign key, the column of one, or the relation between the two. */
  hint: string | undefined
  alias: string | undefined
  /** Only rows that have some. */
  inner: boolean
  /** Its columns become columns of the row (to-one), or lists (to-many). */
  spread: boolean
  query: Query
}

/** `*`: all columns that the role may read. */
interface AllColumns {
  kind: 'all'
}

export type SelectItem = AllColumns | SelectedField | Embedding

export const aggregates = ['count', 'sum', 'avg', 'min', 'max'] as const
type Aggregate = (typeof aggregates)[number]
