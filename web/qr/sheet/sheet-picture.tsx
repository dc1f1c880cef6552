import type { MouseEvent } from 'react'
import type { LabelFormat } from '#domain/qr/labels.ts'
import { labelsOf } from '#domain/qr/sheet-form.ts'

interface SheetPictureProps {
  format: LabelFormat
  /** The first label that is printed, from 1. */
  start: number
  /** Labels that are printed, on this sheet and the next ones. */
  count: number
  onStart: (label: number) => void
}

/** The first sheet. A press on a label starts there; for keyboards and readers of the screen the field beside it does the same. */
export function SheetPicture({ format, start, count, onStart }: SheetPictureProps) {
  const { page, columns, label, left, top, pitch, radius } = format
  const choose = (event: MouseEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const place = (at: number, first: number, step: number, most: number) =>
      Math.min(most - 1, Math.max(0, Math.floor((at - first) / step)))
    const x = ((event.clientX - box.left) / box.width) * page.width
    const y = ((event.clientY - box.top) / box.height) * page.height
    const column = place(x, left, pitch.x, columns)
    onStart(place(y, top, pitch.y, format.rows) * columns + column + 1)
  }
  return (
    <svg
      aria-hidden
      data-part="sheet"
      viewBox={`0 0 ${page.width} ${page.height}`}
      onClick={choose}
      className="h-auto w-36 cursor-pointer rounded-md border border-line bg-paper sm:w-44"
    >
      {Array.from({ length: labelsOf(format) }, (_, index) => (
        <rect
          key={index}
          x={left + (index % columns) * pitch.x}
          y={top + Math.floor(index / columns) * pitch.y}
          width={label.width}
          height={label.height}
          rx={Math.max(radius, 1.5)}
          strokeWidth={1}
          className={
            index + 1 >= start && index + 1 < start + count
              ? 'fill-ink stroke-ink'
              : 'fill-surface stroke-edge hover:fill-sunken'
          }
        />
      ))}
    </svg>
  )
}
