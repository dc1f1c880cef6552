import type { ReactNode } from 'react'
import { readPlace, type StaticFields, type StaticKind } from '#domain/qr/static-forms.ts'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import { CheckboxField } from '#web/ui/fields/checkbox-field.tsx'
import { DateTimeField } from '#web/ui/fields/date-time-field.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'

interface StaticFieldsProps<Kind extends StaticKind> {
  values: StaticFields[Kind]
  change: (changed: Partial<StaticFields[Kind]>) => void
  errorOf: (name: string) => string | undefined
  /** The person has finished with a field, for now. */
  onLeave: (name: string) => void
}

type Parts = { [Kind in StaticKind]: (props: StaticFieldsProps<Kind>) => ReactNode }

/** The fields of one kind. */
export function staticFields<Kind extends StaticKind>(
  kind: Kind,
  props: StaticFieldsProps<Kind>,
): ReactNode {
  return parts[kind](props)
}

/** Props of fields that say when they are left. A choice or a date is complete at once. */
function fieldsOfKind<Kind extends StaticKind>({
  values,
  change,
  errorOf,
  onLeave,
}: StaticFieldsProps<Kind>) {
  type Name = keyof StaticFields[Kind] & string
  const { field, text } = fieldsOf(values, change, errorOf)
  return {
    field: <Each extends Name>(name: Each) => ({
      ...field(name),
      onChange: (value: StaticFields[Kind][Each]) => {
        field(name).onChange(value)
        onLeave(name)
      },
    }),
    text: <Each extends Name>(name: Each) => ({ ...text(name), onBlur: () => onLeave(name) }),
  }
}

const pair = 'grid gap-4 sm:grid-cols-2'
const securities = [
  { value: 'WPA', label: 'WPA, WPA2, WPA3' },
  { value: 'nopass', label: 'No password' },
] as const

const parts: Parts = {
  wifi: (props) => {
    const { field, text } = fieldsOfKind(props)
    return (
      <>
        <Field label="Network name" kind="verbatim" {...text('ssid')} />
        <SelectField label="Security" options={securities} {...field('security')} />
        {props.values.security === 'nopass' ? null : (
          // Readable: guests will see it on the wall.
          <Field label="Password" kind="verbatim" {...text('password')} />
        )}
        <CheckboxField
          label="Hidden network"
          name="isHidden"
          checked={props.values.isHidden}
          onChange={(isHidden) => props.change({ isHidden })}
        />
      </>
    )
  },
  contact: (props) => {
    const { text } = fieldsOfKind(props)
    return (
      <>
        <div className={pair}>
          <Field label="First name" autoComplete="given-name" {...text('given')} />
          <Field label="Last name" autoComplete="family-name" {...text('family')} />
          <Field label="Company" autoComplete="organization" {...text('organization')} />
          <Field label="Job title" autoComplete="organization-title" {...text('role')} />
          <Field label="Mobile" type="tel" autoComplete="tel" {...text('mobile')} />
          <Field label="Phone" type="tel" autoComplete="off" {...text('phone')} />
          <Field label="Email" kind="email" {...text('email')} />
          <Field label="Website" kind="url" {...text('website')} />
          <Field label="Street" autoComplete="street-address" {...text('street')} />
          <Field label="Postal code" autoComplete="postal-code" {...text('postalCode')} />
          <Field label="City" autoComplete="address-level2" {...text('city')} />
          <Field label="Country" autoComplete="country-name" {...text('country')} />
        </div>
        <TextAreaField label="Note" {...text('note')} />
      </>
    )
  },
  email: (props) => {
    const { text } = fieldsOfKind(props)
    return (
      <>
        <Field label="To" kind="email" {...text('to')} />
        <Field label="Subject" note="Optional" autoComplete="off" {...text('subject')} />
        <TextAreaField label="Message" note="Optional" {...text('body')} />
      </>
    )
  },
  phone: (props) => {
    const { text } = fieldsOfKind(props)
    return <Field label="Phone number" {...phoneProps} {...text('phone')} />
  },
  sms: (props) => {
    const { text } = fieldsOfKind(props)
    return (
      <>
        <Field label="Phone number" {...phoneProps} {...text('phone')} />
        <TextAreaField label="Message" note="Optional" {...text('message')} />
      </>
    )
  },
  place: (props) => {
    const { text } = fieldsOfKind(props)
    const latitude = text('latitude')
    return (
      <div className={pair}>
        <Field
          label="Latitude"
          inputMode="text"
          autoComplete="off"
          placeholder="52.52"
          hint="Or paste both, as maps copy them."
          {...latitude}
          onChange={(event) => {
            const place = readPlace(event.target.value)
            if (place === undefined) latitude.onChange(event)
            else props.change(place)
          }}
        />
        <Field
          label="Longitude"
          inputMode="text"
          autoComplete="off"
          placeholder="13.405"
          {...text('longitude')}
        />
      </div>
    )
  },
  event: (props) => {
    const { field, text } = fieldsOfKind(props)
    return (
      <>
        <Field label="Title" autoComplete="off" {...text('title')} />
        <CheckboxField
          label="All day"
          name="isAllDay"
          checked={props.values.isAllDay}
          onChange={(isAllDay) => props.change({ isAllDay })}
        />
        <div className={pair}>
          {props.values.isAllDay ? (
            <>
              <DayField label="First day" {...field('start')} />
              <DayField label="Last day" {...field('end')} />
            </>
          ) : (
            <>
              <DateTimeField label="Start" {...field('start')} />
              <DateTimeField label="End" {...field('end')} />
            </>
          )}
        </div>
        <Field label="Location" note="Optional" autoComplete="off" {...text('location')} />
        <TextAreaField label="Notes" note="Optional" {...text('notes')} />
      </>
    )
  },
  text: (props) => {
    const { text } = fieldsOfKind(props)
    return <TextAreaField label="Text" rows={5} {...text('text')} />
  },
}

const phoneProps = {
  type: 'tel',
  autoComplete: 'off',
  placeholder: '+49 30 123456',
  hint: 'With the country code, for guests from abroad.',
} as const

interface DayFieldProps {
  label: string
  name: string
  /** A local time of the day; empty for none. */
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

function DayField({ value, onChange, ...field }: DayFieldProps) {
  return (
    <Field
      {...field}
      type="date"
      max="9999-12-31"
      value={value.slice(0, 10)}
      onChange={({ target }) => onChange(target.value === '' ? '' : `${target.value}T00:00`)}
    />
  )
}
