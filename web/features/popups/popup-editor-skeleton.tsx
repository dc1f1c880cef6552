/** In the place of the editor while its popup is loading, as high as the editor. */
export function PopupEditorSkeleton() {
  return (
    <div className="grid gap-x-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_26rem]">
      <output className="sr-only">Loading your popup</output>
      <div aria-hidden className="grid gap-5">
        {[11, 16, 2, 29, 18, 14].map((height) => (
          <div
            key={height}
            className="rounded-2xl border border-line bg-surface"
            style={{ height: `${height}rem` }}
          />
        ))}
      </div>
      <div
        aria-hidden
        className="h-[min(40rem,100dvh-15rem)] rounded-2xl border border-line bg-sunken max-lg:hidden"
      />
    </div>
  )
}
