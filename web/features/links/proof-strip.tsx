import '#public-pages/visitor.css'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'

/**
 * Hoplet's products, as visitors get them: a short link with its code, a bio page, a popup. Drawn in plain markup, because the
 * components of those pages would be a tenth of Home's script.
 */
export function ProofStrip() {
  return (
    <section aria-labelledby="proof">
      <h2 id="proof" className="text-xl font-semibold tracking-tight">
        What you can make
      </h2>
      <ul className="mt-4 grid gap-x-4 gap-y-7 sm:grid-cols-2 lg:grid-cols-3">
        <Proof
          name="A short link with its QR code."
          className="sm:max-lg:col-span-2"
          drawing={<ShortLink />}
        />
        <Proof name="A page for all your links." drawing={<BioPage />}>
          <a
            href={routes.demo.path}
            className="font-medium text-accent-text underline underline-offset-4"
          >
            Open the demo
          </a>
        </Proof>
        <Proof name="A popup before the link goes on." drawing={<Popup />} />
      </ul>
      <p className="mt-7 border-t border-line pt-5 text-ink-soft">
        Runs on your machine:{' '}
        <code className="rounded-md bg-sunken px-2 py-1 font-mono text-sm text-ink">npm start</code>
      </p>
    </section>
  )
}

interface ProofProps {
  name: string
  drawing: ReactNode
  className?: string
  children?: ReactNode
}

function Proof({ name, drawing, className, children }: ProofProps) {
  return (
    <li className={`min-w-0 ${className ?? ''}`}>
      <figure className="grid h-full grid-rows-[1fr_auto] gap-2.5">
        {drawing}
        <figcaption className="text-sm text-ink-soft">
          {name} {children}
        </figcaption>
      </figure>
    </li>
  )
}

const frame = 'grid min-h-80 place-items-center overflow-hidden rounded-2xl border border-line'

function ShortLink() {
  return (
    <div className={`${frame} bg-sunken p-4 sm:max-lg:min-h-52`}>
      <div className="flex flex-wrap items-center justify-center gap-x-8 gap-y-5 rounded-2xl border border-line bg-surface p-6">
        <p className="text-center">
          <span className="block font-mono text-base font-medium tracking-tight sm:text-xl">
            <span className="text-ink-faint">hop.example/</span>
            <wbr />
            spring-menu
          </span>
          <span className="mt-1 block text-sm text-ink-faint">
            leads to bistro.example/menus/spring
          </span>
        </p>
        <img
          src="/example-qr.svg"
          alt="QR code of hop.example/spring-menu"
          width={128}
          height={128}
          className="size-32 rounded-xl border border-line bg-white p-2"
        />
      </div>
    </div>
  )
}

function BioPage() {
  const link = 'grid min-h-11 w-full place-items-center px-4 py-2 text-sm font-semibold'
  return (
    <div
      aria-hidden
      className={`${frame} hp-visitor bg-[hsl(36_60%_96%)] p-6 text-[hsl(26_30%_14%)]`}
    >
      <div className="grid w-full max-w-72 justify-items-center text-center">
        <span className="grid size-16 place-items-center rounded-full bg-[hsl(24_88%_40%)] text-3xl font-semibold text-white">
          M
        </span>
        <span className="mt-3 text-xl font-semibold tracking-tight">
          <span className="font-normal text-[hsl(26_20%_38%)]">@</span>mayafields
        </span>
        <span className="mt-0.5 text-sm">Potter and plant keeper</span>
        <span className="mt-5 grid w-full gap-2">
          <span className={`${link} rounded-2xl bg-[hsl(24_88%_40%)] text-white`}>
            The spring collection
          </span>
          <span className={`${link} rounded-2xl bg-[hsl(24_88%_40%)] text-white`}>
            Book a pottery evening
          </span>
          <span className={`${link} rounded-full border border-[hsl(26_15%_50%)]`}>
            Letters from the studio
          </span>
        </span>
      </div>
    </div>
  )
}

function Popup() {
  return (
    <div aria-hidden className={`${frame} hp-visitor bg-[#6b645c] p-4 dark:bg-[#0a0806]`}>
      <div className="grid w-full max-w-72 justify-items-center gap-3">
        <div className="relative grid w-full gap-3 rounded-2xl bg-white px-5 pt-9 pb-5 text-center text-[#1a1a1a] shadow-lift">
          <X size={16} className="absolute top-3 right-3" />
          <span className="text-xl leading-tight font-semibold tracking-tight text-balance">
            Ten percent off everything
          </span>
          <span className="text-sm">Join the list and get the code.</span>
          <span className="rounded-xl border border-[#767676] px-3 py-2 text-left text-sm text-[#5f5f5f]">
            Enter your email
          </span>
          <span className="rounded-xl bg-[#1c1712] px-3 py-2.5 text-base font-bold text-white">
            Get the code
          </span>
        </div>
        <span className="rounded-full border border-white/50 bg-[#15120f] px-3.5 py-1.5 text-center text-xs text-white">
          No thanks, continue to shop.example
        </span>
      </div>
    </div>
  )
}
