import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'

export interface Column<Row, Sort extends string = never> {
  head: string
  cell: (row: Row) => ReactNode
  /** Makes the head a button that sorts by this. */
  sort?: Sort
  /** Figures are aligned to the right. */
  isFigure?: boolean
  className?: string
  /**
   * Where a cell stands on a phone. A table that says so for a column has low rows there: the title, a line below it, the
   * details in one line, and actions at the right; its other columns are not shown.
   */
  phone?: 'title' | 'line' | 'detail' | 'actions'
}

interface DataTableProps<Row, Sort extends string> {
  label: string
  columns: readonly Column<Row, Sort>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  sorting?: { by: Sort; descending: boolean; onSort: (by: Sort) => void }
  /** Room at the right of low rows for the actions. */
  phoneActions?: string
}

// On narrow screens each row is a card. Other displays take the meaning of a table away from its elements, so their
// roles are said once more.
const as = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
}

const cellClass = {
  card: 'max-lg:grid max-lg:grid-cols-[6rem_minmax(0,1fr)] max-lg:items-baseline max-lg:gap-2 max-lg:before:text-sm max-lg:before:text-ink-faint max-lg:before:content-[attr(data-label)]',
  title: 'max-lg:w-full max-lg:truncate max-lg:font-medium max-lg:*:truncate',
  line: 'max-lg:w-full max-lg:text-xs max-lg:text-ink-soft max-lg:*:truncate',
  detail: 'max-lg:max-w-1/2 max-lg:text-xs max-lg:text-ink-faint max-lg:*:truncate',
  actions: 'max-lg:absolute max-lg:right-0',
  hidden: 'max-lg:hidden',
}

const rowClass = {
  card: 'max-lg:grid max-lg:gap-2 max-lg:rounded-2xl max-lg:border max-lg:bg-surface max-lg:p-4',
  low: 'max-lg:relative max-lg:flex max-lg:min-h-18 max-lg:flex-wrap max-lg:content-center max-lg:items-center max-lg:gap-x-2 max-lg:gap-y-0.5 max-lg:border-b max-lg:py-2.5',
}

export function DataTable<Row, Sort extends string = never>(props: DataTableProps<Row, Sort>) {
  const { label, columns, rows, rowKey, sorting, phoneActions = '' } = props
  const isLow = columns.some(({ phone }) => phone !== undefined)
  return (
    <table {...as.table} aria-label={label} className="w-full text-sm max-lg:block">
      <thead {...as.group} className={sorting === undefined ? 'max-lg:sr-only' : 'max-lg:block'}>
        <tr
          {...as.row}
          className="border-line text-sm text-ink-soft max-lg:mb-3 max-lg:flex max-lg:flex-wrap max-lg:items-center max-lg:gap-x-1 max-lg:before:mr-1 max-lg:before:text-ink-faint max-lg:before:content-['Sort_by'] lg:border-b"
        >
          {columns.map((column) => (
            <th
              key={column.head}
              {...as.head}
              scope="col"
              aria-sort={sortOf(column, sorting)}
              className={`px-2 font-medium whitespace-nowrap first:pl-0 last:pr-0 ${column.isFigure === true ? 'lg:text-right' : 'text-left'} ${column.sort === undefined ? 'py-2 max-lg:sr-only' : 'max-lg:px-0'}`}
            >
              <Head column={column} sorting={sorting} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        {...as.group}
        className={
          isLow
            ? 'max-lg:grid max-lg:grid-cols-[minmax(0,1fr)] max-lg:border-t max-lg:border-line'
            : 'max-lg:grid max-lg:grid-cols-[minmax(0,1fr)] max-lg:gap-3'
        }
      >
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            {...as.row}
            className={`border-line lg:border-b ${isLow ? `${rowClass.low} ${phoneActions}` : rowClass.card}`}
          >
            {columns.map(({ head, cell, isFigure, className, phone }) => (
              <td
                key={head}
                {...as.cell}
                data-label={head}
                className={`min-w-0 align-middle lg:px-2 lg:py-3 lg:first:pl-0 lg:last:pr-0 ${cellClass[isLow ? (phone ?? 'hidden') : 'card']} ${isFigure === true ? 'tabular-nums lg:text-right' : ''} ${className ?? ''}`}
              >
                <div className="min-w-0">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type Sorting<Sort extends string> = DataTableProps<unknown, Sort>['sorting']

function sortOf<Row, Sort extends string>(
  column: Column<Row, Sort>,
  sorting: Sorting<Sort>,
): 'ascending' | 'descending' | undefined {
  if (sorting === undefined || column.sort !== sorting.by) return undefined
  return sorting.descending ? 'descending' : 'ascending'
}

interface HeadProps<Row, Sort extends string> {
  column: Column<Row, Sort>
  sorting: Sorting<Sort>
}

function Head<Row, Sort extends string>({ column, sorting }: HeadProps<Row, Sort>) {
  const { head, sort } = column
  if (sort === undefined || sorting === undefined) return head
  const Arrow = sorting.descending ? ArrowDown : ArrowUp
  return (
    <button
      type="button"
      onClick={() => sorting.onSort(sort)}
      className="-mx-2 inline-flex min-h-10 items-center gap-1 rounded-xl px-2 font-medium hover:bg-sunken hover:text-ink max-lg:mx-0"
    >
      {head}
      <Arrow
        size={14}
        aria-hidden
        className={sorting.by === sort ? 'text-accent-text' : 'invisible max-lg:hidden'}
      />
    </button>
  )
}
