import type { ReactNode } from 'react'
import { HopPrint } from '#web/hop-print.tsx'

interface LinkTagProps {
  /** Empty while it is not known. */
  code: string
  /** Beside the print. */
  heading?: ReactNode
  /** The short link and its destination. */
  children: ReactNode
  actions?: ReactNode
  /** Behind the perforation, mostly the QR code. */
  stub?: ReactNode
  /** Whether a narrow tag ends with its actions. */
  hasWideStub?: boolean
}

/**
 * A short link as a luggage tag: its hop print, its code, and a stub behind a perforation. From 512 px on the stub is at
 * the right; a narrower tag is torn across. `--around` is the color of the ground under the two notches.
 */
export function LinkTag(props: LinkTagProps) {
  const { code, heading, children, actions, stub, hasWideStub = false } = props
  return (
    <div className="@container">
      <div className="rounded-2xl border border-line bg-surface @lg:flex">
        <div className="min-w-0 grow">
          <div className="p-5 @lg:px-6">
            <div className="flex min-h-10 min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
              {code === '' ? (
                <span aria-hidden className="h-9 w-14 rounded-md bg-sunken" />
              ) : (
                <HopPrint code={code} width={56} height={36} className="shrink-0" />
              )}
              {heading}
            </div>
            {children}
          </div>
          {actions === undefined ? null : (
            <div className="relative border-t-2 border-dashed border-line p-4 @lg:border-t-0 @lg:px-6 @lg:pt-0 @lg:pb-6">
              <Notches className="@lg:hidden" isAcross />
              {actions}
            </div>
          )}
        </div>
        {stub === undefined ? null : (
          <div
            className={`relative shrink-0 border-dashed border-line p-5 @lg:border-l-2 @lg:bg-paper @max-lg:border-t-2 @lg:rounded-r-2xl ${hasWideStub ? '@max-lg:hidden' : ''}`}
          >
            <Notches className="@max-lg:hidden" />
            <Notches className="@lg:hidden" isAcross />
            {stub}
          </div>
        )}
      </div>
    </div>
  )
}

const notch = 'absolute border border-solid border-line bg-[var(--around,var(--paper))]'

/** The ends of the perforation: half circles with a radius of 10 px, over the edge of the tag. */
function Notches({ className, isAcross = false }: { className: string; isAcross?: boolean }) {
  const [first, second] = isAcross
    ? [
        '-left-px -top-[11px] h-5 w-2.5 rounded-r-full border-l-0!',
        '-right-px -top-[11px] h-5 w-2.5 rounded-l-full border-r-0!',
      ]
    : [
        '-top-px -left-[11px] h-2.5 w-5 rounded-b-full border-t-0!',
        '-bottom-px -left-[11px] h-2.5 w-5 rounded-t-full border-b-0!',
      ]
  return (
    <span aria-hidden className={className}>
      <span className={`${notch} ${first}`} />
      <span className={`${notch} ${second}`} />
    </span>
  )
}
