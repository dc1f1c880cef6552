import { useRef } from 'react'
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
import type { OptionSection } from './option-sections.ts'
import { UtmBuilder } from './utm-builder.tsx'
import type { Utm } from './utm.ts'

export interface OptionPanelProps extends Pick<OptionFields, 'errorOf'> {
  section: OptionSection
  userId: string
  /** The saved link; undefined for a new one. */
  link: LinkRow | undefined
  /** Whether several links get these options; a title is for one. */
  areMany?: boolean
  utm: Utm
  onUtm: (change: Partial<Utm>) => void
  /** Undefined until something was entered. */
  entered: OptionsDraft | undefined
  onChange: (entered: OptionsDraft) => void
}

/** The options of one part of the form of a link. */
export function OptionPanel(props: OptionPanelProps) {
  const { section, userId, link, areMany = false, utm, onUtm, entered, onChange, errorOf } = props
  const values = entered ?? optionsDraftOf(link)
  const change = (part: Partial<OptionsDraft>) => onChange({ ...values, ...part })
  const fields = { values, change, errorOf }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {section === 'link' ? (
        <>
          <TextFields group="description" {...fields} skipped={areMany ? ['title'] : []} />
          <ForwardingFields {...fields} />
          <SelectField
            label="Redirect status"
            name="redirectStatus"
            options={statusOptions(values.redirectStatus)}
            value={String(values.redirectStatus)}
            onChange={(status) => change({ redirectStatus: status === '307' ? 307 : 302 })}
          />
          <div className="grid gap-1">
            <Switch
              label="Archived"
              checked={values.isArchived}
              onChange={(isArchived) => change({ isArchived })}
            />
            <p className="text-sm text-ink-faint">Archived links still redirect.</p>
          </div>
        </>
      ) : section === 'campaign' ? (
        <>
          <UtmBuilder {...{ userId, utm }} onChange={onUtm} />
          <TagField
            userId={userId}
            label="Tags"
            name="tagText"
            tags={values.tags}
            text={values.tagText}
            onChange={(tags, tagText) => change({ tags, tagText })}
            error={errorOf('tagText')}
          />
        </>
      ) : section === 'schedule' ? (
        <Schedule {...fields} />
      ) : section === 'access' ? (
        <>
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
        </>
      ) : (
        <SocialPreview {...fields} />
      )}
    </div>
  )
}

function Schedule({ values, change, errorOf }: OptionFields) {
  const { field, text } = fieldsOf(values, change, errorOf)
  return (
    <>
      <DateTimeField label="Start" {...field('startsAt')} />
      <DateTimeField label="End" {...field('endsAt')} />
      <Field label="Click limit" inputMode="numeric" autoComplete="off" {...text('maxClicks')} />
      <Field
        label="Fallback address"
        kind="url"
        placeholder="https://example.com/over"
        hint="Used before the start and after the end."
        {...text('fallbackUrl')}
      />
    </>
  )
}

function SocialPreview(fields: OptionFields) {
  const { field } = fieldsOf(fields.values, fields.change, fields.errorOf)
  return (
    <>
      <p className="text-sm text-ink-faint">What chats and social networks show for the link.</p>
      <TextFields group="preview" {...fields} />
      <PreviewImageField {...field('previewImage')} />
    </>
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
