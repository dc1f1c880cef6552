import { bioLimits, slugAsTyped } from '#domain/bio-form.ts'
import { site } from '#web/site.ts'
import { Field } from '#web/ui/field.tsx'
import { characterCount } from '#web/ui/character-count.ts'
import { TextAreaField } from '#web/ui/text-area-field.tsx'
import type { BioDraft } from './bio-draft.ts'
import { EditorSection } from './editor-section.tsx'
import type { ChangeDraft } from './use-bio-editor.ts'

interface PageSettingsProps {
  draft: BioDraft
  change: ChangeDraft
  problems: ReadonlyMap<string, string>
  /** The page exists: its slug stays. */
  locked: boolean
}

export function PageSettings({ draft, change, problems, locked }: PageSettingsProps) {
  return (
    <EditorSection title="Page Settings">
      <Field
        label="Slug"
        data-path="slug"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-required
        readOnly={locked}
        value={draft.slug}
        onChange={(event) => {
          const slug = slugAsTyped(event.target.value)
          change(() => ({ slug }))
        }}
        note={locked ? undefined : characterCount(draft.slug, bioLimits.slug)}
        error={problems.get('slug')}
        hint={
          locked ? (
            <>
              <SlugAddress slug={draft.slug} /> The slug stays as it is after the first save.
            </>
          ) : (
            <>
              <SlugAddress slug={draft.slug} /> 3-30 characters: lowercase letters, numbers, hyphens
              and underscores.
            </>
          )
        }
        className={`font-mono ${locked ? 'bg-sunken! text-ink-soft' : ''}`}
      />
      <Field
        label="Title"
        data-path="title"
        autoComplete="off"
        aria-required
        note={characterCount(draft.title, bioLimits.title)}
        value={draft.title}
        onChange={(event) => {
          const title = event.target.value
          change(() => ({ title }))
        }}
        error={problems.get('title')}
      />
      <TextAreaField
        label="Description"
        data-path="description"
        note={characterCount(draft.description, bioLimits.description) ?? 'optional'}
        value={draft.description}
        onChange={(event) => {
          const description = event.target.value
          change(() => ({ description }))
        }}
        error={problems.get('description')}
      />
    </EditorSection>
  )
}

function SlugAddress({ slug }: { slug: string }) {
  return (
    <span className="mb-0.5 block font-mono break-all text-ink-soft">
      {site.host}/{slug === '' ? 'your-name' : slug}
    </span>
  )
}
