import type { ReactNode } from 'react'
import { storageBlocked } from '#domain/texts/account-texts.ts'
import { canStore } from '#web/stored.ts'
import { HopTrail } from '#web/ui/hop-trail.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { useStepFocus } from '#web/ui/hooks/use-step-focus.ts'
import { useTitle } from '#web/ui/hooks/use-title.ts'

interface AuthFrameProps {
  /** Title of the browser's tab. */
  title: string
  heading: string
  intro?: ReactNode
  children: ReactNode
}

/** The frame of every screen around signing in. */
export function AuthFrame({ title, heading, intro, children }: AuthFrameProps) {
  useTitle(`${title} · Hoplet`)
  const top = useStepFocus(heading)
  return (
    <div
      className={`${columnClass} grid grow gap-x-16 py-10 sm:py-16 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)] xl:gap-x-28`}
    >
      <div className="flex w-full max-w-md flex-col justify-center">
        <h1
          ref={top}
          tabIndex={-1}
          data-quiet-focus
          className="text-3xl leading-tight font-semibold tracking-[-0.03em] text-balance"
        >
          {heading}
        </h1>
        {intro === undefined ? null : (
          <div className="mt-3 leading-relaxed text-ink-soft text-pretty">{intro}</div>
        )}
        {canStore() ? null : (
          <p
            role="note"
            className="mt-6 rounded-2xl bg-sunken px-4 py-3 text-sm leading-relaxed text-pretty"
          >
            {storageBlocked}
          </p>
        )}
        <div className="mt-8">{children}</div>
      </div>
      <BrandPanel />
    </div>
  )
}

/** Preview of the product, where there is room for it. */
function BrandPanel() {
  return (
    <aside
      aria-label="About Hoplet"
      className="flex flex-col justify-between gap-12 overflow-hidden rounded-2xl border border-line bg-sunken p-12 max-lg:hidden"
    >
      <HopTrail className="w-full max-w-md self-end text-edge" />
      <div>
        <p className="text-3xl leading-tight font-semibold tracking-[-0.02em] text-balance">
          Short links you own, on your own server.
        </p>
        <ul className="mt-5 grid gap-2 text-ink-soft">
          <li>QR codes in your colors</li>
          <li>A page for all your links</li>
          <li>A word to your visitors before they go on</li>
        </ul>
      </div>
    </aside>
  )
}

export const textButtonClass =
  'rounded-md text-sm font-medium text-accent-text underline-offset-4 hover:underline'
