import { Fragment, type ReactNode } from 'react'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'

interface FigureTableProps {
  caption: string
  head: readonly string[]
  rows: readonly { key: string; name: ReactNode; cells: readonly string[]; note?: string }[]
}

/** Figures by name. The head stays in sight while a part around it scrolls. */
export function FigureTable({ caption, head, rows }: FigureTableProps) {
  return (
    <table className="w-full text-left text-sm tabular-nums">
      <caption className="sr-only">{caption}</caption>
      <thead className="text-xs text-ink-faint">
        <tr>
          {head.map((name, index) => (
            <th
              key={name}
              scope="col"
              className={`sticky top-0 border-b border-line bg-surface py-2 font-normal ${index === 0 ? '' : 'pl-4 text-right whitespace-nowrap'}`}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, cells, note }) => (
          <Fragment key={key}>
            <tr className="border-t border-line">
              <th scope="row" className="py-2 font-normal whitespace-nowrap">
                {name}
              </th>
              {cells.map((cell, index) => (
                <td key={head[index + 1]} className="py-2 pl-4 text-right">
                  {cell}
                </td>
              ))}
            </tr>
            {note === undefined ? null : (
              <tr>
                <td colSpan={head.length} className="pb-2 text-ink-soft wrap-anywhere">
                  <bdi>{note}</bdi>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

interface ScrollTableProps extends FigureTableProps {
  /** In pixels: the rest is scrolled to. */
  height: number
}

/** The figures of a drawing as a table. */
export function ScrollTable({ height, ...table }: ScrollTableProps) {
  return (
    <ScrollRegion
      aria-label={table.caption}
      className="overflow-auto rounded-md"
      style={{ height }}
    >
      <FigureTable {...table} />
    </ScrollRegion>
  )
}
