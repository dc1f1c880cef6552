// Fixed shapes: they stand for no figure.
const bars = [
  18, 26, 34, 45, 30, 70, 79, 31, 41, 49, 33, 43, 84, 68, 45, 55, 64, 47, 58, 98, 82, 60, 71, 38,
  52,
]
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
      <div className="flex h-9 gap-2 pointer-coarse:h-11">
        <div className="h-full w-39 rounded-xl bg-sunken" />
        <div className="h-full w-22 rounded-xl bg-sunken" />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-2xl border border-line bg-surface p-4 sm:p-5">
        <div className="grid grid-cols-2 gap-x-4 gap-y-2 @2xl:grid-cols-4">
          {[0, 1, 2, 3].map((tile) => (
            <div key={tile} className="h-19">
              <div className="mt-1 h-3 w-14 rounded-full bg-sunken" />
              <div className="mt-3 h-6 w-20 max-w-full rounded-md bg-sunken" />
            </div>
          ))}
        </div>
        <div>
          <div className="flex h-46 items-end gap-1 border-b border-line">
            {bars.map((height, index) => (
              <div
                key={index}
                className="grow rounded-t-[3px] bg-sunken"
                style={{ height: `${height}%` }}
              />
            ))}
          </div>
          <div className="mt-1 h-8 pointer-coarse:h-11" />
        </div>
      </div>
      {isLoading ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-3 *:h-53 *:rounded-2xl *:border *:border-line *:bg-surface">
          <div />
          <div className="max-lg:hidden" />
          <div className="max-lg:hidden" />
        </div>
      ) : null}
    </div>
  )
}
