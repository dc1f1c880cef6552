import { Plus } from 'lucide-react'
import { useCallback } from 'react'
import { bioLimits, isSkippedLink } from '#domain/bio-form.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { characterCount } from '#web/ui/character-count.ts'
import { type BioDraft, type LinkDraft, newLink } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import { SortableRows } from './sortable-rows.tsx'
import type { ChangeDraft } from './use-bio-editor.ts'
import { useFocusOnNewRow } from './use-focus-on-new-row.ts'

interface LinksSectionProps {
  draft: BioDraft
  change: ChangeDraft
  problems: ReadonlyMap<string, string>
}

export function LinksSection({ draft, change, problems }: LinksSectionProps) {
  const { links } = draft
  const changeRows = useCallback(
    (rowsOf: (rows: readonly LinkDraft[]) => readonly LinkDraft[]) => {
      change((now) => ({ links: rowsOf(now.links) }))
    },
    [change],
  )
  const { section, focusOn } = useFocusOnNewRow(links)

  function edit(key: string, content: Partial<LinkDraft>) {
    changeRows((rows) => rows.map((row) => (row.key === key ? { ...row, ...content } : row)))
  }

  return (
    <EditorSection title="Links" hint="The first two stand out on your page.">
      <div ref={section} className="grid gap-3">
        {links.length === 0 ? (
          <p className="text-[15px] text-ink-soft">No links added yet.</p>
        ) : (
          <SortableRows
            noun="link"
            rows={links}
            onChange={changeRows}
            nameOf={(row) => (row.title.trim() === '' ? 'The link' : row.title)}
          >
            {(row, index) => (
              <div className="grid gap-3 sm:grid-cols-2">
                <Field
                  label="Link title"
                  data-path={`links.${index}.title`}
                  note={characterCount(row.title, bioLimits.linkTitle)}
                  autoComplete="off"
                  value={row.title}
                  onChange={(event) => edit(row.key, { title: event.target.value })}
                  error={problems.get(`links.${index}.title`)}
                />
                <Field
                  label="Link URL"
                  data-path={`links.${index}.url`}
                  type="url"
                  inputMode="url"
                  placeholder="https://"
                  autoComplete="off"
                  spellCheck={false}
                  value={row.url}
                  onChange={(event) => edit(row.key, { url: event.target.value })}
                  error={problems.get(`links.${index}.url`)}
                />
                {isSkippedLink(row) && row.title + row.url !== '' ? (
                  <p className="text-sm text-ink-faint sm:col-span-2">
                    It appears on your page once it has a title and a URL.
                  </p>
                ) : null}
              </div>
            )}
          </SortableRows>
        )}
        <Button
          className="justify-self-start"
          onClick={() => {
            if (links.length >= bioLimits.links) return
            const row = newLink()
            focusOn(row.key)
            changeRows((rows) => [...rows, row])
          }}
        >
          <Plus size={17} aria-hidden />
          Add Link
        </Button>
      </div>
    </EditorSection>
  )
}
