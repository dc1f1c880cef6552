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
}

interface DataTableProps<Row, Sort extends string> {
  label: string
  columns: readonly Column<Row, Sort>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  sorting?: { by: Sort; descending: boolean; onSort: (by: Sort) => void }
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

export function DataTable<Row, Sort extends string = never>(props: DataTableProps<Row, Sort>) {
  const { label, columns, rows, rowKey, sorting } = props
  return (
    <table {...as.table} aria-label={label} className="w-full text-[15px] max-md:block">
      <thead {...as.group} className={sorting === undefined ? 'max-md:sr-only' : 'max-md:block'}>
        <tr
          {...as.row}
          className="border-line text-sm text-ink-soft max-md:mb-3 max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-1 max-md:before:mr-1 max-md:before:text-ink-faint max-md:before:content-['Sort_by'] md:border-b"
        >
          {columns.map((column) => (
            <th
              key={column.head}
              {...as.head}
              scope="col"
              aria-sort={sortOf(column, sorting)}
              className={`px-2 font-medium whitespace-nowrap first:pl-0 last:pr-0 ${column.isFigure === true ? 'md:text-right' : 'text-left'} ${column.sort === undefined ? 'py-2 max-md:sr-only' : 'max-md:px-0'}`}
            >
              <Head column={column} sorting={sorting} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...as.group} className="max-md:grid max-md:gap-3">
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            {...as.row}
            className="border-line max-md:grid max-md:gap-2 max-md:rounded-2xl max-md:border max-md:bg-surface max-md:p-4 md:border-b"
          >
            {columns.map(({ head, cell, isFigure, className }) => (
              <td
                key={head}
                {...as.cell}
                data-label={head}
                className={`min-w-0 align-middle max-md:grid max-md:grid-cols-[6rem_minmax(0,1fr)] max-md:items-baseline max-md:gap-2 max-md:before:text-sm max-md:before:text-ink-faint max-md:before:content-[attr(data-label)] md:px-2 md:py-3 md:first:pl-0 md:last:pr-0 ${isFigure === true ? 'tabular-nums md:text-right' : ''} ${className ?? ''}`}
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
      className="-mx-2 inline-flex min-h-10 items-center gap-1 rounded-lg px-2 font-medium hover:bg-sunken hover:text-ink max-md:mx-0"
    >
      {head}
      <Arrow
        size={14}
        aria-hidden
        className={sorting.by === sort ? 'text-accent-text' : 'invisible max-md:hidden'}
      />
    </button>
  )
}
