import { useCallback } from 'react'
import { bioLimits } from '#domain/bio/bio-form.ts'
import { platformOf, platforms } from '#domain/bio/platforms.ts'
import { PlatformIcon } from '#public-pages/frame/icon.tsx'
import { iconButtonClass } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { newSocialLink, type SocialLinkDraft } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import { RowHead } from './row-head.tsx'
import { SortableRows } from './sortable-rows.tsx'
import type { BioFields } from './use-bio-editor.ts'
import { useFocusOnNewRow } from './use-focus-on-new-row.ts'

type ChangeRows = (rows: readonly SocialLinkDraft[]) => readonly SocialLinkDraft[]

export function SocialSection({ draft, change, problems, unfolded }: BioFields) {
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
    unfolded.unfold([row.key])
    changeRows((rows) => [...rows, row])
  }

  return (
    <EditorSection title="Social Links" hint="Add your profiles.">
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
      <div
        ref={section}
        className={socialLinks.length === 0 ? 'hidden' : 'grid grid-cols-[minmax(0,1fr)]'}
      >
        <SortableRows
          noun="social link"
          rows={socialLinks}
          unfolded={unfolded}
          onChange={changeRows}
          nameOf={(row) => platformOf(row.platform).name}
          head={({ platform, url }) => (
            <RowHead
              icon={<PlatformIcon platform={platform} size={18} />}
              title={platformOf(platform).name}
              note={url.trim() === '' ? 'Not on your page yet' : url.replace(/^https?:\/\//i, '')}
            />
          )}
        >
          {({ key, platform, url }, index) => {
            const { id, name, example } = platformOf(platform)
            const setUrl = (typed: string) =>
              changeRows((rows) =>
                rows.map((row) => (row.key === key ? { ...row, url: typed } : row)),
              )
            return (
              <Field
                label={id === 'email' ? 'Email address' : `${name} URL`}
                data-path={`socialLinks.${index}.url`}
                placeholder={example}
                kind={id === 'email' ? 'email' : 'url'}
                value={url}
                onChange={(event) => setUrl(event.target.value)}
                error={problems.get(`socialLinks.${index}.url`)}
              />
            )
          }}
        </SortableRows>
      </div>
    </EditorSection>
  )
}
