// Fixed shapes: they stand for no figure.
const bars = [
  18, 26, 34, 45, 30, 70, 79, 31, 41, 49, 33, 43, 84, 68, 45, 55, 64, 47, 58, 98, 82, 60, 71, 38,
  52,
]
const pills = [12, 11, 13, 13, 13, 10, 18]

/**
 * A report without a single figure, as high as one: while the question is not known, and in the place of one that the
 * plan does not show.
 */
export function ReportShape({ isLoading = false }: { isLoading?: boolean }) {
  return (
    <div
      aria-hidden
      className={`@container grid grid-cols-[minmax(0,1fr)] gap-4 ${isLoading ? 'animate-pulse' : ''}`}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
        <div className="flex flex-col gap-2.5 @4xl:flex-row @4xl:justify-between">
          <Pills widths={pills} />
          <Pills widths={[22, 26, 18]} />
        </div>
        <div className="flex h-8 items-center justify-between pointer-coarse:h-11">
          <div className="h-3 w-56 rounded-full bg-sunken" />
          <div className="h-8 w-23 rounded-full bg-sunken pointer-coarse:h-11" />
        </div>
      </div>
      <div className="rounded-2xl border border-line bg-surface">
        <div className="grid grid-cols-2 gap-px overflow-hidden rounded-t-2xl border-b border-line bg-line *:bg-surface @xl:grid-cols-5 @max-xl:*:first:col-span-2">
          {[0, 1, 2, 3, 4].map((tile) => (
            <div key={tile} className="p-3 @4xl:px-5 @max-xl:px-4">
              <div className="flex h-7 items-center pointer-coarse:h-11">
                <div className="h-3 w-14 rounded-full bg-sunken" />
              </div>
              <div className="flex h-10 items-center @xl:@max-4xl:h-14">
                <div className="h-6 w-20 max-w-full rounded-md bg-sunken" />
              </div>
            </div>
          ))}
        </div>
        <div className="p-4 sm:p-5">
          <div className="mb-3 h-8 max-sm:h-10 pointer-coarse:h-11" />
          <div className="flex h-58 items-end gap-1 border-b border-line">
            {bars.map((height, index) => (
              <div
                key={index}
                className="grow rounded-t-[3px] bg-sunken"
                style={{ height: `${height}%` }}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function Pills({ widths }: { widths: readonly number[] }) {
  return (
    <div className="flex h-8 gap-1.5 overflow-hidden pointer-coarse:h-11">
      {widths.map((width, index) => (
        <div
          key={index}
          className="h-full shrink-0 rounded-full bg-sunken"
          style={{ width: `${width * 4}px` }}
        />
      ))}
    </div>
  )
}
