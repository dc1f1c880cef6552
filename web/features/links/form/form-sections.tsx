import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { type LinkSection, linkSections } from '../options/option-sections.ts'

interface FormSectionsProps {
  /** Above the open part. */
  children: ReactNode
  /** How many options of each part are set. */
  counts: Partial<Record<LinkSection, number>>
  /** On phones none may be open. */
  open: LinkSection | undefined
  onOpen: (section: LinkSection | undefined) => void
  render: (section: LinkSection) => ReactNode
  /** Below the parts. */
  after?: ReactNode
  /** Beside the form on wide windows. */
  aside?: ReactNode
}

const sections = Object.entries(linkSections) as [LinkSection, string][]

/** The parts of the form of a link: a list at the left of the open one, or on phones a list that opens one at a time. */
export function FormSections(props: FormSectionsProps) {
  const { children, counts, open, onOpen, render, after, aside } = props
  const id = useId()
  const isPhone = useMedia(phone)
  if (isPhone)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-5 sm:min-h-0 sm:overflow-y-auto">
        {children}
        <ul className="border-t border-line">
          {sections.map(([section, name]) => (
            <li key={section} className="border-b border-line">
              <h3>
                <button
                  type="button"
                  aria-expanded={open === section}
                  aria-controls={`${id}-${section}`}
                  onClick={() => onOpen(open === section ? undefined : section)}
                  className="flex min-h-13 w-full items-center gap-3 text-left font-medium"
                >
                  <span className="grow">{name}</span>
                  <SetCount count={counts[section]} />
                  <ChevronDown
                    size={18}
                    aria-hidden
                    className={`text-ink-faint transition-transform ${open === section ? 'rotate-180' : ''}`}
                  />
                </button>
              </h3>
              <div id={`${id}-${section}`} className={open === section ? 'pt-1 pb-6' : ''}>
                {open === section ? render(section) : null}
              </div>
            </li>
          ))}
        </ul>
        {after}
      </div>
    )
  const shown = open ?? 'link'
  return (
    <div
      className={`grid min-h-0 grid-rows-[minmax(0,1fr)] gap-x-7 ${aside === undefined ? 'grid-cols-[10rem_minmax(0,1fr)]' : 'grid-cols-[10rem_minmax(0,1fr)] lg:grid-cols-[10rem_minmax(0,1fr)_14rem]'}`}
    >
      <ul className="-ml-3 grid content-start gap-1 overflow-y-auto p-0.5">
        {sections.map(([section, name]) => (
          <li key={section}>
            <button
              type="button"
              aria-expanded={shown === section}
              aria-controls={shown === section ? `${id}-panel` : undefined}
              onClick={() => onOpen(section)}
              className={`flex min-h-10 w-full items-center justify-between gap-2 rounded-xl px-3 text-left font-medium whitespace-nowrap transition-colors ${shown === section ? 'bg-sunken' : 'text-ink-soft hover:bg-sunken'}`}
            >
              {name}
              <SetCount count={counts[section]} />
            </button>
          </li>
        ))}
      </ul>
      <div className="-mx-2 grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-2 pt-0.5 pb-6">
        {children}
        <section
          id={`${id}-panel`}
          aria-label={`Options: ${linkSections[shown]}`}
          className="min-w-0"
        >
          {render(shown)}
        </section>
        {after}
      </div>
      {aside === undefined ? null : <div className="overflow-y-auto max-lg:hidden">{aside}</div>}
    </div>
  )
}

function SetCount({ count = 0 }: { count: number | undefined }) {
  return count === 0 ? null : (
    <span className="text-sm font-normal text-ink-faint">{count} set</span>
  )
}
