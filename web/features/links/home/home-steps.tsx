import '#public-pages/frame/visitor.css'
import type { ReactNode } from 'react'
import { Copy } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { HopPrint } from '#web/hop-print.tsx'

/**
 * The way of a link in four steps, each with a part of the product. Drawn in plain markup, because the components of those
 * parts would be a tenth of Home's script.
 */
export function HomeSteps() {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps" className="text-xl font-semibold tracking-tight">
        One link, all the way
      </h2>
      <ul className="mt-4 grid gap-x-4 gap-y-7 max-sm:-mx-4 max-sm:flex max-sm:snap-x max-sm:scroll-px-4 max-sm:overflow-x-auto max-sm:px-4 sm:grid-cols-2 lg:grid-cols-4">
        <Step
          name="A short link"
          text="Rules by country or device, A/B splits, a simulator."
          drawing={<Links />}
        />
        <Step
          name="A page for all of them"
          text="Nine looks, your picture, no trackers."
          drawing={<BioPage />}
        >
          <a
            href={routes.demo.path}
            className="font-medium text-accent-text underline underline-offset-4"
          >
            Open the demo
          </a>
        </Step>
        <Step
          name="A word before they go"
          text="Newsletter, sale, event: drafted from one line."
          drawing={<Popup />}
        />
        <Step
          name="Every visit, counted once"
          text="Bots told apart. Reports, API and MCP for agents."
          drawing={<Bars />}
        />
      </ul>
    </section>
  )
}

interface StepProps {
  name: string
  text: string
  drawing: ReactNode
  children?: ReactNode
}

function Step({ name, text, drawing, children }: StepProps) {
  return (
    <li className="min-w-0 max-sm:w-64 max-sm:shrink-0 max-sm:snap-start">
      <figure>
        <div
          aria-hidden
          className="grid h-44 overflow-hidden rounded-2xl border border-line bg-surface"
        >
          {drawing}
        </div>
        <figcaption className="mt-3 text-sm text-ink-soft">
          <strong className="mb-0.5 block font-semibold text-ink">{name}</strong>
          {text} {children}
        </figcaption>
      </figure>
    </li>
  )
}

const links = [
  ['Spring menu', 'spring-menu'],
  ['Reading list', 'harbour-reads'],
  ['Slides, Helsinki', 'talk-slides'],
] as const

function Links() {
  return (
    <div className="grid content-center gap-2 px-5">
      {links.map(([title, code]) => (
        <span key={code} className="flex items-center gap-3">
          <HopPrint code={code} width={38} height={34} />
          <span className="min-w-0 grow text-xs leading-snug">
            <span className="block font-medium">{title}</span>
            <span className="block truncate font-mono text-ink-soft">/{code}</span>
          </span>
          <Copy size={14} className="text-ink-faint" />
        </span>
      ))}
    </div>
  )
}

function BioPage() {
  const link = 'grid h-8 w-full place-items-center text-xs font-semibold'
  return (
    <div className="hp-visitor grid justify-items-center bg-[hsl(36_60%_96%)] px-8 pt-4 text-[hsl(26_30%_14%)]">
      <span className="grid size-11 place-items-center rounded-full bg-[hsl(24_88%_34%)] text-base font-semibold text-white">
        H
      </span>
      <span className="mt-1.5 text-sm font-semibold">Harbour Books</span>
      <span className="mt-2 grid w-full max-w-44 gap-1.5">
        <span className={`${link} rounded-xl bg-[hsl(24_88%_34%)] text-white`}>Reading list</span>
        <span className={`${link} rounded-xl bg-[hsl(24_88%_34%)] text-white`}>Reading night</span>
        <span className={`${link} rounded-full border border-[hsl(26_15%_50%)]`}>
          Opening hours
        </span>
      </span>
    </div>
  )
}

function Popup() {
  return (
    <div className="hp-visitor grid place-items-center bg-[#6b645c] p-5 dark:bg-[#0a0806]">
      <span className="grid w-full max-w-52 gap-2 rounded-2xl bg-white p-4 text-center text-[#1a1a1a] shadow-lift">
        <span className="text-sm leading-tight font-semibold text-balance">
          Reading night this Thursday
        </span>
        <span className="text-xs">Three authors, one stove, free tea.</span>
        <span className="rounded-xl bg-[#1c1712] px-3 py-2 text-xs font-bold text-white">
          Keep me a seat
        </span>
      </span>
    </div>
  )
}

const heights = [38, 30, 36, 62, 60, 58, 36, 40, 34, 38, 58, 54, 32, 34, 33, 40, 66, 64, 72, 52]

function Bars() {
  return (
    <div className="grid grid-rows-[auto_1fr] px-5 pt-4 pb-5">
      <span className="text-xs text-ink-soft">
        Clicks, 30 days
        <span className="block text-xl font-semibold tracking-tight text-ink">
          372 <span className="text-xs font-normal text-good">+90%</span>
        </span>
      </span>
      <svg viewBox="0 0 200 80" preserveAspectRatio="none" className="h-full w-full">
        {heights.map((height, at) => (
          <rect
            key={at}
            x={at * 10 + 1}
            y={80 - height}
            width="7"
            height={height}
            rx="1.5"
            fill={at === heights.length - 1 ? 'var(--accent)' : 'var(--ink)'}
            opacity={at === heights.length - 1 ? 1 : 0.86}
          />
        ))}
      </svg>
    </div>
  )
}
