import { Fragment } from 'react'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'

interface ScrollTableProps {
  caption: string
  /** In pixels: the rest is scrolled to. */
  height: number
  head: readonly string[]
  rows: readonly { key: string; name: string; cells: readonly string[]; note?: string }[]
}

/** The figures of a drawing as a table. */
export function ScrollTable({ caption, height, head, rows }: ScrollTableProps) {
  return (
    <ScrollRegion aria-label={caption} className="overflow-auto rounded-md" style={{ height }}>
      <table className="w-full text-left text-sm tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-xs text-ink-faint">
          <tr>
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 border-b border-line bg-surface py-2 font-normal ${index === 0 ? '' : 'pl-4 text-right'}`}
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
    </ScrollRegion>
  )
}
