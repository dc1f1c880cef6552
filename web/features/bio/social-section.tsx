import { useCallback } from 'react'
import { bioLimits } from '#domain/bio-form.ts'
import { platformOf, platforms } from '#domain/platforms.ts'
import { PlatformIcon } from '#public-pages/icon.tsx'
import { Field } from '#web/ui/field.tsx'
import { iconButtonClass } from '#web/ui/button.tsx'
import { type BioDraft, newSocialLink, type SocialLinkDraft } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import { SortableRows } from './sortable-rows.tsx'
import type { ChangeDraft } from './use-bio-editor.ts'
import { useFocusOnNewRow } from './use-focus-on-new-row.ts'

interface SocialSectionProps {
  draft: BioDraft
  change: ChangeDraft
  problems: ReadonlyMap<string, string>
}

type ChangeRows = (rows: readonly SocialLinkDraft[]) => readonly SocialLinkDraft[]

export function SocialSection({ draft, change, problems }: SocialSectionProps) {
  const { socialLinks } = draft
  const changeRows = useCallback(
    (rowsOf: ChangeRows) => {
      change((now) => ({ socialLinks: rowsOf(now.socialLinks) }))
    },
    [change],
  )
  const { section, focusOn } = useFocusOnNewRow(socialLinks)

  function add(platform: string) {
    if (socialLinks.length >= bioLimits.socialLinks) return
    const row = newSocialLink(platform)
    focusOn(row.key)
    changeRows((rows) => [...rows, row])
  }

  return (
    <EditorSection title="Social Links" hint="Choose a platform to add it.">
      <ul aria-label="Add a social link" className="flex flex-wrap gap-1.5">
        {platforms.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              aria-label={`Add ${name}`}
              title={name}
              onClick={() => add(id)}
              className={`${iconButtonClass} border border-line hover:border-edge`}
            >
              <PlatformIcon platform={id} size={17} />
            </button>
          </li>
        ))}
      </ul>
      <div ref={section}>
        <SortableRows
          noun="social link"
          rows={socialLinks}
          onChange={changeRows}
          nameOf={(row) => platformOf(row.platform).name}
          headOf={({ platform }) => (
            <>
              <PlatformIcon platform={platform} size={17} />
              <span className="truncate">{platformOf(platform).name}</span>
            </>
          )}
        >
          {({ key, platform, url }, index) => {
            const { id, name, example } = platformOf(platform)
            return (
              <Field
                label={id === 'email' ? 'Email address' : `${name} URL`}
                data-path={`socialLinks.${index}.url`}
                type={id === 'email' ? 'email' : 'url'}
                inputMode={id === 'email' ? 'email' : 'url'}
                placeholder={example}
                autoComplete="off"
                spellCheck={false}
                value={url}
                onChange={(event) => {
                  const typed = event.target.value
                  changeRows((rows) =>
                    rows.map((row) => (row.key === key ? { ...row, url: typed } : row)),
                  )
                }}
                error={problems.get(`socialLinks.${index}.url`)}
              />
            )
          }}
        </SortableRows>
      </div>
    </EditorSection>
  )
}
