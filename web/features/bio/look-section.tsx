import type { CSSProperties } from 'react'
import { hasAddress, isSkippedLink } from '#domain/bio/bio-form.ts'
import { colorsWith, type BioLook, looks } from '#domain/bio/looks.ts'
import type { Theme } from '#domain/bio/themes.ts'
import { bioProperties } from '#public-pages/bio/looks.ts'
import type { BioDraft } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import type { BioFields } from './use-bio-editor.ts'

/** The shapes of the page: type, buttons and ground. */
export function LookSection({ draft, change }: BioFields) {
  return (
    <EditorSection title="Look" hint="Pick a style. Your own colors are kept.">
      <ul className="grid grid-cols-2 gap-2.5 @sm:grid-cols-3 @xl:grid-cols-5">
        {looks.map((look) => {
          const theme = colorsWith(look, draft.theme)
          return (
            <li key={look.id}>
              <button
                type="button"
                aria-pressed={look.id === draft.look}
                onClick={() => change(() => ({ look: look.id, theme }))}
                className="grid w-full gap-1.5 rounded-xl border border-line p-1.5 text-left text-sm transition-colors duration-150 hover:border-edge aria-pressed:border-ink aria-pressed:ring-1 aria-pressed:ring-ink"
              >
                <LookSample look={look} theme={theme} draft={draft} />
                <span className="truncate px-0.5 text-xs font-medium">{look.name}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </EditorSection>
  )
}

interface LookSampleProps {
  look: BioLook
  theme: Theme
  draft: BioDraft
}

/** A page in the look, as small as a stamp: the owner's title and first link. It reads the properties that bio-page.css reads. */
function LookSample({ look, theme, draft }: LookSampleProps) {
  const bar =
    'block h-5 w-[78%] truncate border-current/50 px-2 text-center text-[0.625rem]/[1.1rem] [border-width:var(--hp-bio-border,1.5px)]'
  const first = draft.links.find((link) => hasAddress(link.kind) && !isSkippedLink(link))
  return (
    <span
      inert
      style={
        {
          ...bioProperties({ theme, look: look.id }),
          fontFamily: 'var(--hp-bio-font)',
        } as CSSProperties
      }
      className="hp-visitor grid h-24 grid-cols-[minmax(0,1fr)] content-center justify-items-center gap-2 overflow-hidden rounded-md border border-line bg-(--hp-bio-background) bg-size-(--hp-bio-ground-size) bg-(image:--hp-bio-ground) text-(--hp-bio-text)"
    >
      <span
        dir="auto"
        className="max-w-[92%] truncate text-base leading-tight"
        style={{
          fontWeight: 'var(--hp-bio-title-weight, 650)',
          letterSpacing: 'var(--hp-bio-title-spacing, -0.025em)',
        }}
      >
        {draft.title.trim() === '' ? 'Your name' : draft.title}
      </span>
      <span
        dir="auto"
        className={`${bar} rounded-[var(--hp-bio-radius-first,999px)] border-transparent! bg-(--hp-bio-primary) font-semibold text-(--hp-bio-on-primary)`}
        style={{ boxShadow: 'var(--hp-bio-shadow, none)' }}
      >
        {first?.title ?? 'First link'}
      </span>
      <span
        className={`${bar} h-3.5! rounded-[var(--hp-bio-radius,999px)] bg-(--hp-bio-background)`}
        style={{ boxShadow: 'var(--hp-bio-shadow, none)' }}
      />
    </span>
  )
}
