import { ShieldAlert, ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import type { MendedQr, QrMend, QrProblem, QrVerdict } from '#domain/qr/check-qr.ts'
import { coveredPart } from '#domain/qr/draw-qr.ts'
import { QrTooLongError } from '#domain/qr/qr-cells.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import type { CheckState } from '#web/qr/use-qr-check.ts'
import { Button } from '#web/ui/button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'

interface CheckCardProps {
  text: string
  look: QrLook
  state: CheckState
  mend: () => Promise<MendedQr | null>
  onLook: (look: QrLook) => void
}

/** Largest part of a code that a logo may cover (level H). */
const mostCovered = 20

const problemWords: Readonly<Record<QrProblem, string>> = {
  inverted:
    'The code is lighter than its background. Many cameras read only dark codes on a light ground.',
  pale: 'The colors are too close to the background: a camera may see no code.',
  too_long: 'This is too much text for a QR code.',
  unread: 'A decoder could not read this code as it would be printed.',
}

/** Why a code is not safe, as a sentence. */
export function problemText({ problem }: QrVerdict): string {
  return problem === undefined ? '' : problemWords[problem]
}

const mendWords: Readonly<Record<QrMend, string>> = {
  darker: 'darker colors',
  quiet: 'a larger quiet zone',
  smaller_logo: 'a smaller logo',
  plainer: 'plainer shapes',
  no_logo: 'no logo',
}

/** Whether the code scans, from which size on, and a way to mend it. */
export function CheckCard({ text, look, state, mend, onLook }: CheckCardProps) {
  const [mended, setMended] = useState('')
  const mending = useAction(async () => {
    const found = await mend()
    setMended(
      found === null
        ? 'Nothing helped. Remove the logo, or choose another look.'
        : `Mended: ${found.mends.map((each) => mendWords[each]).join(', ')}.`,
    )
    if (found !== null) onLook(found.look)
  })
  if (state === 'checking')
    return (
      <Card tone="bg-sunken" Icon={ShieldQuestion} title="Checking …">
        Two decoders are reading the code.
      </Card>
    )
  if (state === 'blind')
    return (
      <Card tone="bg-sunken" Icon={ShieldQuestion} title="Not checked">
        This browser does not let pages read pictures, so nothing is known about this code. Try a
        print with two phones, or use another browser.
      </Card>
    )
  const { smallest } = state
  if (smallest === undefined)
    return (
      <Card tone="bg-danger-wash" Icon={ShieldAlert} title="May not scan">
        {problemText(state)}
        {state.problem === 'too_long' ? null : (
          <span className="mt-3 block">
            <Button size="small" busy={mending.busy} onClick={() => mending.run()}>
              {mending.busy ? 'Trying …' : 'Mend it'}
            </Button>
          </span>
        )}
        <output className="mt-2 block">{mended}</output>
      </Card>
    )
  const width = Math.ceil(smallest.millimeters)
  return (
    <Card tone="bg-good/10" Icon={ShieldCheck} title={`Scans from ${width} mm up`}>
      Read by two decoders: as exported, and {width} mm wide plain, blurred, turned and as JPEG.
      <span className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        <Fact name="Distance" value={`${width} cm`} />
        <Fact name="Contrast" value={state.contrast.toFixed(1)} />
        {look.logo === null ? null : (
          <Fact name="Logo" value={`${partOf(text, look)}% of ${mostCovered}`} />
        )}
      </span>
      <output className={mended === '' ? 'sr-only' : 'mt-2 block'}>{mended}</output>
    </Card>
  )
}

function partOf(text: string, look: QrLook): number {
  try {
    return Math.round(coveredPart(text, look) * 100)
  } catch (error) {
    if (error instanceof QrTooLongError) return 0
    throw error
  }
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <span>
      {name} <strong className="font-semibold text-ink">{value}</strong>
    </span>
  )
}

interface CardProps {
  tone: string
  Icon: typeof ShieldCheck
  title: string
  children: React.ReactNode
}

function Card({ tone, Icon, title, children }: CardProps) {
  return (
    <section aria-label="Check" className={`rounded-2xl border border-line p-4 ${tone}`}>
      <h2 className="flex items-center gap-2 font-semibold" aria-live="polite">
        <Icon size={19} aria-hidden />
        {title}
      </h2>
      <div className="mt-1.5 text-sm text-pretty text-ink-soft">{children}</div>
    </section>
  )
}
