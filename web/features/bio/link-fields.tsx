import { bioLimits, isSkippedLink } from '#domain/bio-form.ts'
import { characterCount } from '#web/ui/character-count.ts'
import { Field } from '#web/ui/field.tsx'
import type { LinkDraft } from './bio-draft.ts'
import type { Problems } from './use-bio-editor.ts'

interface LinkFieldsProps {
  row: LinkDraft
  /** Of the row in the form: 'links.2'. */
  path: string
  problems: Problems
  onChange: (content: Partial<LinkDraft>) => void
}

/** The fields of one link. */
export function LinkFields({ row, path, problems, onChange }: LinkFieldsProps) {
  return (
    <div className="grid gap-3 @md:grid-cols-2">
      <Field
        label="Link title"
        data-path={`${path}.title`}
        note={characterCount(row.title, bioLimits.linkTitle)}
        autoComplete="off"
        value={row.title}
        onChange={(event) => onChange({ title: event.target.value })}
        error={problems.get(`${path}.title`)}
      />
      <Field
        label="Link URL"
        data-path={`${path}.url`}
        type="url"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        spellCheck={false}
        value={row.url}
        onChange={(event) => onChange({ url: event.target.value })}
        error={problems.get(`${path}.url`)}
      />
      {isSkippedLink(row) && row.title + row.url !== '' ? (
        <p className="text-sm text-ink-faint @md:col-span-2">
          It appears on your page once it has a title and a URL.
        </p>
      ) : null}
    </div>
  )
}
