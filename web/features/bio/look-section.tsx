import type { CSSProperties } from 'react'
import { colorsWith, type BioLook, looks } from '#domain/looks.ts'
import type { Theme } from '#domain/themes.ts'
import { bioProperties } from '#public-pages/looks.ts'
import { EditorSection } from './editor-section.tsx'
import type { BioFields } from './use-bio-editor.ts'

/** The shapes of the page: type, buttons and ground. */
export function LookSection({ draft, change }: BioFields) {
  return (
    <EditorSection title="Look" hint="Pick a style. Your own colors are kept.">
      <ul className="grid grid-cols-3 gap-2.5 @xl:grid-cols-5">
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
                <LookSample look={look} theme={theme} />
                <span className="truncate px-0.5 text-xs font-medium">{look.name}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </EditorSection>
  )
}

/** A page in the look, as small as a stamp. It reads the properties that bio-page.css reads. */
function LookSample({ look, theme }: { look: BioLook; theme: Theme }) {
  const bar = 'h-3.5 w-[70%] border-current/50 [border-width:var(--hp-bio-border,1.5px)]'
  return (
    <span
      inert
      style={bioProperties({ theme, look: look.id }) as CSSProperties}
      className="hp-visitor grid h-24 content-center justify-items-center gap-2 overflow-hidden rounded-md border border-line bg-(--hp-bio-background) bg-size-(--hp-bio-ground-size) bg-(image:--hp-bio-ground) text-(--hp-bio-text)"
    >
      <span
        className="leading-none"
        style={{
          fontFamily: 'var(--hp-bio-font, inherit)',
          fontWeight: 'var(--hp-bio-title-weight, 650)',
          fontSize: '1.25rem',
        }}
      >
        Aa
      </span>
      <span
        className={`${bar} rounded-[var(--hp-bio-radius-first,999px)] border-transparent! bg-(--hp-bio-primary)`}
        style={{ boxShadow: 'var(--hp-bio-shadow, none)' }}
      />
      <span
        className={`${bar} rounded-[var(--hp-bio-radius,999px)] bg-(--hp-bio-background)`}
        style={{ boxShadow: 'var(--hp-bio-shadow, none)' }}
      />
    </span>
  )
}
