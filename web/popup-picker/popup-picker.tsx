import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { popupChoicesQuery } from './popup-choices.ts'

interface PopupPickerProps {
  userId: string
  value: string | null
  onChange: (popupId: string | null) => void
  /** The first option, for none. */
  none: string
  error?: string | undefined
  name?: string
}

/** Chooses one of the account's popups, or none. Without any it leads to the screen that makes one. */
export function PopupPicker({ userId, value, onChange, none, error, name }: PopupPickerProps) {
  const { data, isPending, isError, refetch } = useQuery(popupChoicesQuery(userId))
  if (isPending) return <p className="text-sm text-ink-faint">Loading your popups</p>
  if (isError) {
    return (
      <FailedLine retry={() => void refetch()} className="justify-between gap-4 text-danger">
        {popupNotices.fetchFailed.title}
      </FailedLine>
    )
  }
  const isGone = value !== null && !data.some(({ id }) => id === value)
  if (data.length === 0 && !isGone) {
    return (
      <p className="text-sm text-ink-soft">
        No popups available.{' '}
        <Link
          to={routes.popupGenerator.path}
          className="font-medium text-accent-text underline underline-offset-4"
        >
          Create one
        </Link>
      </p>
    )
  }
  return (
    <SelectField
      label="Popup"
      name={name}
      options={[
        { value: '', label: none },
        ...(isGone ? [{ value, label: 'Deleted popup' }] : []),
        ...data.map((popup) => ({ value: popup.id, label: popup.name })),
      ]}
      value={value ?? ''}
      onChange={(id) => onChange(id === '' ? null : id)}
      error={error}
    />
  )
}
