// Fixed shapes, not figures.
const bars = [100, 34, 71, 48, 30, 22, 12]
const days = [30, 44, 38, 61, 52, 27, 33, 58, 70, 63, 81, 47, 55, 76, 92]

/** Results without a single figure, as high as they are. */
export function ResultsShape({ isLoading = false }: { isLoading?: boolean }) {
  return (
    <>
      {isLoading ? <output className="sr-only">Loading the results</output> : null}
      <div aria-hidden className={`grid gap-2 ${isLoading ? 'animate-pulse' : ''}`}>
        {bars.map((width) => (
          <div key={width} className="flex h-9 items-center gap-3">
            <div className="h-3 w-24 shrink-0 rounded-full bg-sunken" />
            <div className="grow">
              <div className="h-5 rounded-md bg-sunken" style={{ width: `${width}%` }} />
            </div>
          </div>
        ))}
        <div className="mt-6 flex h-52 items-end gap-2 border-b border-edge">
          {days.map((height) => (
            <div
              key={height}
              className="grow rounded-t-sm bg-sunken"
              style={{ height: `${height}%` }}
            />
          ))}
        </div>
      </div>
    </>
  )
}
