import { PenLine } from 'lucide-react'
import { useRef } from 'react'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import { ImageUpload } from '#web/forms/image-upload.tsx'
import { CheckboxField } from '#web/ui/fields/checkbox-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { PopupPicture } from './popup-picture.tsx'

type TextColumn = 'title' | 'name' | 'description' | 'cta_text' | 'consent_text'

export function ContentCard({ draft, change, problemOf }: PopupFormProps) {
  const fields = fieldsOf(draft, change, problemOf)
  const text = (name: TextColumn) => ({
    ...fields.text(name),
    autoComplete: 'off',
    note: characterCount(draft[name], popupLimits[name]),
  })
  return (
    <EditorCard title="Popup Content" icon={<PenLine size={20} aria-hidden />}>
      <div className="grid items-start gap-4 sm:grid-cols-[3fr_2fr] lg:max-xl:grid-cols-1">
        <Field label="Title *" {...text('title')} required />
        <Field
          label="Name"
          {...text('name')}
          note={text('name').note ?? 'optional'}
          placeholder="For your lists"
        />
      </div>
      <TextAreaField label="Description" {...text('description')} />
      <div className="grid items-start gap-4 sm:grid-cols-2 lg:max-xl:grid-cols-1">
        <Field label="Button Text *" {...text('cta_text')} required />
        <Field
          label="Button URL"
          kind="url"
          note={draft.collect_email && !draft.keep_emails ? 'required' : 'optional'}
          placeholder="https://"
          {...fields.text('cta_url')}
        />
      </div>
      <CheckboxField
        label="Collect Email Address"
        name="collect_email"
        hint="The email is submitted to the button URL as a form parameter named “email”."
        checked={draft.collect_email}
        onChange={(collect_email) => change({ collect_email })}
      />
      {draft.collect_email ? (
        <>
          <CheckboxField
            label="Keep Emails"
            name="keep_emails"
            hint={
              draft.cta_url.trim() === ''
                ? 'Emails go to your audience. Nothing is sent elsewhere.'
                : 'Emails go to your audience and to the URL.'
            }
            checked={draft.keep_emails}
            onChange={(keep_emails) => change({ keep_emails })}
          />
          {draft.keep_emails ? (
            <TextAreaField label="Consent Text *" {...text('consent_text')} />
          ) : null}
        </>
      ) : null}
      <PopupImage imageUrl={draft.image_url} onChange={(image_url) => change({ image_url })} />
    </EditorCard>
  )
}

interface PopupImageProps {
  imageUrl: string | null
  onChange: (imageUrl: string | null) => void
}

/** The picture of the popup, and a way to bring one's own. */
function PopupImage({ imageUrl, onChange }: PopupImageProps) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="sr-only">Picture</legend>
      {imageUrl === null ? null : (
        <PopupPicture
          imageUrl={imageUrl}
          onRemove={() => {
            onChange(null)
            button.current?.focus()
          }}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ImageUpload ref={button} name="image_url" label="Upload picture" onUploaded={onChange} />
        <p className="text-sm text-ink-faint">PNG, JPEG or WebP, up to 5 MB</p>
      </div>
    </fieldset>
  )
}
