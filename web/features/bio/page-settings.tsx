import { useId } from 'react'
import { bioLimits, slugAsTyped } from '#domain/bio-form.ts'
import { site } from '#web/site.ts'
import { Field, FieldError, inputClass } from '#web/ui/field.tsx'
import type { BioDraft } from './bio-draft.ts'
import { Section } from './section.tsx'
import type { ChangeDraft } from './use-bio-editor.ts'

interface PageSettingsProps {
  draft: BioDraft
  change: ChangeDraft
  problems: ReadonlyMap<string, string>
  /** The page exists: its slug stays. */
  locked: boolean
}

export function PageSettings({ draft, change, problems, locked }: PageSettingsProps) {
  const id = useId()
  const descriptionProblem = problems.get('description')
  return (
    <Section title="Page Settings">
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
        maxLength={bioLimits.title}
        value={draft.title}
        onChange={(event) => {
          const title = event.target.value
          change(() => ({ title }))
        }}
        error={problems.get('title')}
      />
      <div className="grid gap-1.5">
        <label htmlFor={id} className="flex items-baseline justify-between text-sm font-medium">
          Description
          <span className="font-normal text-ink-faint">optional</span>
        </label>
        <textarea
          id={id}
          data-path="description"
          rows={3}
          maxLength={bioLimits.description}
          value={draft.description}
          onChange={(event) => {
            const description = event.target.value
            change(() => ({ description }))
          }}
          aria-invalid={descriptionProblem === undefined ? undefined : true}
          aria-describedby={descriptionProblem === undefined ? undefined : `${id}-error`}
          className={`${inputClass} h-auto! py-2.5`}
        />
        <FieldError id={`${id}-error`} error={descriptionProblem} />
      </div>
    </Section>
  )
}

function SlugAddress({ slug }: { slug: string }) {
  return (
    <span className="mb-0.5 block font-mono break-all text-ink-soft">
      {site.host}/{slug === '' ? 'your-name' : slug}
    </span>
  )
}
