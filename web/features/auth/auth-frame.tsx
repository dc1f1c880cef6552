import type { ReactNode } from 'react'
import { useStepFocus } from '#web/ui/use-step-focus.ts'
import { useTitle } from '#web/ui/use-title.ts'

interface AuthFrameProps {
  /** Of the browser's tab. */
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
    <div className="mx-auto flex w-full max-w-md grow flex-col justify-center px-4 py-12 sm:py-20">
      <h1
        ref={top}
        tabIndex={-1}
        data-quiet-focus
        className="text-4xl font-semibold tracking-[-0.035em] text-balance"
      >
        {heading}
      </h1>
      {intro === undefined ? null : (
        <div className="mt-3 leading-relaxed text-ink-soft text-pretty">{intro}</div>
      )}
      <div className="mt-8">{children}</div>
    </div>
  )
}

export const textButtonClass =
  'rounded-md text-[15px] font-medium text-accent-text underline-offset-4 hover:underline'
