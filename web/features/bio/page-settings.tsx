import { bioLimits } from '#domain/bio/bio-form.ts'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { AvatarField } from './avatar-field.tsx'
import { EditorSection } from './editor-section.tsx'
import { SlugField } from './slug-field.tsx'
import type { BioFields } from './use-bio-editor.ts'

interface PageSettingsProps {
  fields: BioFields
  /** The page exists: its slug stays. */
  locked: boolean
}

export function PageSettings({ fields, locked }: PageSettingsProps) {
  const { draft, change, problems } = fields
  return (
    <EditorSection title="Page Settings">
      <AvatarField draft={draft} onChange={(avatarUrl) => change(() => ({ avatarUrl }))} />
      <SlugField
        slug={draft.slug}
        domain={draft.domain}
        locked={locked}
        error={problems.get('slug')}
        onChange={(slug) => change(() => ({ slug }))}
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
