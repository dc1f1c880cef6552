import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts.ts'
import { popupChoicesQuery } from '#web/account/popup-choices.ts'
import { Button } from '#web/ui/button.tsx'
import { inputClass } from '#web/ui/field.tsx'
import { Section } from './section.tsx'

interface PopupSectionProps {
  userId: string
  value: string | null
  onChange: (popupId: string | null) => void
}

export function PopupSection(props: PopupSectionProps) {
  return (
    <Section title="Conversion Popup" hint="Visitors of your page see it once per visit.">
      <PopupChoice {...props} />
    </Section>
  )
}

function PopupChoice({ userId, value, onChange }: PopupSectionProps) {
  const id = useId()
  const { data, isPending, isError, refetch } = useQuery(popupChoicesQuery(userId))
  if (isPending) return <p className="text-sm text-ink-faint">Loading your popups</p>
  if (isError) {
    return (
      <p role="alert" className="flex items-center justify-between gap-4 text-sm text-danger">
        {popupNotices.fetchFailed.title}
        <Button size="small" onClick={() => void refetch()}>
          Try Again
        </Button>
      </p>
    )
  }
  if (data.length === 0) {
    return (
      <p className="text-[15px] text-ink-soft">
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
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Popup
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
        className={inputClass}
      >
        <option value="">No popup</option>
        {data.map((popup) => (
          <option key={popup.id} value={popup.id}>
            {popup.title}
          </option>
        ))}
      </select>
    </div>
  )
}
