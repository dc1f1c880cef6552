/** Rows that are not here yet, as high as they will be. */
export function LinkListSkeleton({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div className="overflow-clip rounded-2xl border border-line bg-surface max-rail:-mx-4 max-rail:rounded-none max-rail:border-x-0">
      <output className="sr-only">{label}</output>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          aria-hidden
          className="flex h-15 animate-pulse items-center gap-3 border-t border-line px-3 first-of-type:border-t-transparent max-[30rem]:h-21"
        >
          <span className="size-5 rounded-md bg-sunken max-rail:hidden" />
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
