import { Screen } from '#web/ui/screen.tsx'

/** The editor while it loads: the same boxes, so that nothing moves when the page is here. */
export function EditorSkeleton() {
  const box = 'rounded-2xl border border-line bg-surface'
  return (
    <Screen title="Bio Link">
      <output className="sr-only">Loading your bio page</output>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_375px]">
        <div className="grid gap-4">
          <div className={`${box} h-72`} />
          <div className={`${box} h-screen`} />
        </div>
        <div className={`${box} mt-8 h-[min(47.5rem,calc(100dvh-8rem))] max-lg:hidden`} />
      </div>
    </Screen>
  )
}
