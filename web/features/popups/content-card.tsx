import { PenLine } from 'lucide-react'
import { popupLimits } from '#domain/popup-options.ts'
import { Field } from '#web/ui/field.tsx'
import { characterCount } from '#web/ui/character-count.ts'
import { TextAreaField } from '#web/ui/text-area-field.tsx'
import { CheckboxField } from './checkbox-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'

export function ContentCard({ draft, change, problemOf }: PopupFormProps) {
  return (
    <EditorCard title="Popup Content" icon={<PenLine size={20} aria-hidden />}>
      <Field
        label="Title *"
        name="title"
        required
        autoComplete="off"
        note={characterCount(draft.title, popupLimits.title)}
        value={draft.title}
        onChange={(event) => change({ title: event.target.value })}
        error={problemOf('title')}
      />
      <TextAreaField
        label="Description"
        name="description"
        note={characterCount(draft.description, popupLimits.description)}
        value={draft.description}
        onChange={(event) => change({ description: event.target.value })}
        error={problemOf('description')}
      />
      <Field
        label="Button Text *"
        name="ctaText"
        required
        autoComplete="off"
        note={characterCount(draft.ctaText, popupLimits.ctaText)}
        value={draft.ctaText}
        onChange={(event) => change({ ctaText: event.target.value })}
        error={problemOf('ctaText')}
      />
      <Field
        label="Button URL"
        name="ctaUrl"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        note="optional"
        placeholder="https://"
        value={draft.ctaUrl}
        onChange={(event) => change({ ctaUrl: event.target.value })}
        error={problemOf('ctaUrl')}
      />
      <CheckboxField
        label="Collect Email Address"
        name="collectEmail"
        hint="The email is submitted to the button URL as a form parameter named “email”. The URL must start with https://."
        checked={draft.collectEmail}
        onChange={(collectEmail) => change({ collectEmail })}
      />
    </EditorCard>
  )
}
