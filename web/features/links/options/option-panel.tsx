import { type ReactNode, useRef } from 'react'
import { site } from '#web/site.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import type { LinkRow } from '#web/api/database.ts'
import { DateTimeField } from '#web/ui/fields/date-time-field.tsx'
import { ImageUpload } from '#web/forms/image-upload.tsx'
import { TagField } from '../tags/tag-field.tsx'
import { type OptionsDraft, type OptionFields, optionsDraftOf } from './options-draft.ts'
import { LinkPasswordField } from './link-password-field.tsx'
import { TextFields } from './text-fields.tsx'
import { type EnteredOptions, checkOptions } from './check-options.ts'
import { UtmBuilder } from './utm-builder.tsx'

export interface OptionsFormProps {
  userId: string
  /** The saved link; undefined for a new one. */
  link: LinkRow | undefined
  /** The typed text, with the campaign's fields. */
  destination: string
  onDestination: (destination: string) => void
  /** Undefined until something was entered. */
  entered: EnteredOptions | undefined
  onChange: (entered: EnteredOptions) => void
  /** The problem of a field by its name, which is a key of the options. */
  errorOf: (field: string) => string | undefined
}

/** All options of a link. */
export function OptionsForm(props: OptionsFormProps) {
  const { userId, link, destination, onDestination, entered, onChange, errorOf } = props
  const values = entered?.values ?? optionsDraftOf(link)
  const change = (part: Partial<OptionsDraft>) => {
    const next = { ...values, ...part }
    onChange({ values: next, checked: checkOptions(next, link, site.ownHosts) })
  }
  const fields = { values, change, errorOf }
  return (
    <div className="grid gap-7">
      <Description {...fields} userId={userId} />
      <OptionGroup legend="Campaign (UTM)">
        <UtmBuilder {...{ userId, destination }} onChange={onDestination} />
      </OptionGroup>
      <Schedule {...fields} />
      <OptionGroup legend="Access">
        <LinkPasswordField
          hasPassword={link?.has_password ?? false}
          password={values.password}
          onChange={(password) => change({ password })}
          error={errorOf('password')}
        />
        <div className="grid gap-1">
          <Switch
            label="Preview page"
            checked={values.showPreviewPage}
            onChange={(showPreviewPage) => change({ showPreviewPage })}
          />
          <p className="text-sm text-ink-faint">A + behind the address shows the destination.</p>
        </div>
      </OptionGroup>
      <OptionGroup legend="Redirect">
        <ForwardingFields {...fields} />
        <SelectField
          label="Redirect status"
          name="redirectStatus"
          options={statusOptions(values.redirectStatus)}
          value={String(values.redirectStatus)}
          onChange={(status) => change({ redirectStatus: status === '307' ? 307 : 302 })}
        />
      </OptionGroup>
      <SocialPreview {...fields} />
      <OptionGroup legend="List">
        <div className="grid gap-1">
          <Switch
            label="Archived"
            checked={values.isArchived}
            onChange={(isArchived) => change({ isArchived })}
          />
          <p className="text-sm text-ink-faint">Archived links still redirect.</p>
        </div>
      </OptionGroup>
    </div>
  )
}

function OptionGroup({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0 border-t border-line pt-5">
      <legend className="float-left mb-4 w-full text-sm font-semibold text-ink-soft">
        {legend}
      </legend>
      <div className="clear-both grid grid-cols-[minmax(0,1fr)] gap-5">{children}</div>
    </fieldset>
  )
}

function Description({ userId, ...fields }: OptionFields & { userId: string }) {
  const { values, change, errorOf } = fields
  return (
    <OptionGroup legend="Description">
      <TextFields group="description" {...fields} />
      <TagField
        userId={userId}
        label="Tags"
        name="tagText"
        tags={values.tags}
        text={values.tagText}
        onChange={(tags, tagText) => change({ tags, tagText })}
        error={errorOf('tagText')}
      />
    </OptionGroup>
  )
}

function Schedule({ values, change, errorOf }: OptionFields) {
  const { field, text } = fieldsOf(values, change, errorOf)
  return (
    <OptionGroup legend="Schedule">
      <DateTimeField label="Start" {...field('startsAt')} />
      <DateTimeField label="End" {...field('endsAt')} />
      <Field
        label="Maximum of clicks"
        inputMode="numeric"
        autoComplete="off"
        {...text('maxClicks')}
      />
      <Field
        label="Fallback address"
        kind="url"
        placeholder="https://example.com/over"
        hint="Visitors go there before the start and afterwards."
        {...text('fallbackUrl')}
      />
    </OptionGroup>
  )
}

function SocialPreview(fields: OptionFields) {
  const { field } = fieldsOf(fields.values, fields.change, fields.errorOf)
  return (
    <OptionGroup legend="Preview in chats">
      <TextFields group="preview" {...fields} />
      <PreviewImageField {...field('previewImage')} />
    </OptionGroup>
  )
}

/** Browsers keep permanent redirects, so they are not offered; a status that another program set is shown. */
function statusOptions(current: OptionsDraft['redirectStatus']) {
  const options = [
    { value: '302', label: '302 (default)' },
    { value: '307', label: '307 (keeps method)' },
  ]
  const isOffered = options.some(({ value }) => value === String(current))
  return isOffered ? options : [...options, { value: String(current), label: `${current}` }]
}

const forwardings = [
  { value: 'none', label: 'None' },
  { value: 'all', label: 'All parameters' },
  { value: 'named', label: 'Named parameters' },
] as const
const precedences = [
  { value: 'destination', label: 'The destination’s value' },
  { value: 'visit', label: 'The visit’s value' },
] as const

/** Which query parameters of a visit go on to the destination. */
function ForwardingFields({ values, change, errorOf }: OptionFields) {
  const { field, text } = fieldsOf(values, change, errorOf)
  return (
    <>
      <SelectField label="Query forwarding" options={forwardings} {...field('forwarding')} />
      {values.forwarding === 'named' ? (
        <Field
          label="Parameter names"
          kind="verbatim"
          placeholder="utm_source,ref"
          {...text('forwardNames')}
        />
      ) : null}
      {values.forwarding === 'none' ? null : (
        <SelectField
          label="Duplicate parameters"
          name="forwardOverrides"
          options={precedences}
          value={values.forwardOverrides ? 'visit' : 'destination'}
          onChange={(winner) => change({ forwardOverrides: winner === 'visit' })}
        />
      )}
    </>
  )
}

interface PreviewImageFieldProps {
  name: string
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

/** The picture of a preview: an address, or an upload. */
function PreviewImageField({ name, value, onChange, error }: PreviewImageFieldProps) {
  const upload = useRef<HTMLButtonElement>(null)
  return (
    <div className="grid gap-2">
      <Field
        label="Preview image"
        name={name}
        inputMode="url"
        kind="verbatim"
        placeholder="https://example.com/picture.png"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
      <div className="justify-self-start">
        <ImageUpload ref={upload} label="Upload image" onUploaded={onChange} />
      </div>
    </div>
  )
}
