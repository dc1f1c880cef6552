/** Rows of a table that are not here yet, as high as they will be. */
export function RowsSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div aria-hidden className="relative animate-pulse border-t border-line">
      {/* The monospaced typeface is fetched now: coming after the rows, it would break their lines anew. */}
      <span className="invisible absolute font-mono">0</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="flex h-18 items-center justify-between gap-4 border-b border-line lg:h-16"
        >
          <span className="grid w-full max-w-72 gap-2">
            <span className="h-4 w-3/5 rounded-md bg-sunken" />
            <span className="h-3 rounded-md bg-sunken lg:hidden" />
          </span>
          <span className="h-9 w-24 rounded-xl bg-sunken" />
        </div>
      ))}
    </div>
  )
}

/** Cards that are not here yet. */
export function CardsSkeleton({ cards, className }: { cards: number; className: string }) {
  return (
    <div aria-hidden className={`animate-pulse ${className}`}>
      {Array.from({ length: cards }, (_, card) => (
        <div key={card} className="min-h-44 rounded-2xl bg-sunken" />
      ))}
    </div>
  )
}
