/** Rows that are not here yet, as high as they will be. */
export function LinkListSkeleton({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div className="border-t border-line">
      <output className="sr-only">{label}</output>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          aria-hidden
          className="flex h-16 animate-pulse items-center gap-3 border-b border-line rail:px-2"
        >
          <span className="h-10 w-11 rounded-xl bg-sunken" />
          <span className="grid grow gap-2">
            <span className="h-4 w-32 rounded-md bg-sunken" />
            <span className="h-3 w-56 max-w-full rounded-md bg-sunken" />
          </span>
          <span className="h-4 w-14 rounded-md bg-sunken" />
        </div>
      ))}
    </div>
  )
}
