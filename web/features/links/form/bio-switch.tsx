import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { bioUseQuery, maxBioLinks } from './bio-use.ts'

interface BioSwitchProps {
  userId: string
  isOn: boolean
  title: string
  /** The title when none is typed. */
  placeholder: string
  onChange: (change: { isOnBio?: boolean; bioTitle?: string }) => void
}

/** Whether a new link goes to the bio page as well, and under which title. */
export function BioSwitch({ userId, isOn, title, placeholder, onChange }: BioSwitchProps) {
  const { data: page } = useQuery(bioUseQuery(userId))
  if (page === null)
    return (
      <p className="text-sm text-ink-soft">
        You have no bio page yet.{' '}
        <Link
          to={routes.bioLink.path}
          className="font-medium text-accent-text underline underline-offset-4"
        >
          Build one
        </Link>
      </p>
    )
  if (page !== undefined && page.links.length >= maxBioLinks)
    return (
      <p className="text-sm text-ink-soft">Your bio page is full: it has {maxBioLinks} links.</p>
    )
  return (
    <div className="grid gap-3">
      <Switch
        label="Add to bio page"
        checked={isOn}
        onChange={(isOnBio) => onChange({ isOnBio })}
      />
      {isOn ? (
        <Field
          label="Title on your bio page"
          name="bioTitle"
          maxLength={200}
          placeholder={placeholder}
          value={title}
          onChange={(event) => onChange({ bioTitle: event.target.value })}
        />
      ) : null}
    </div>
  )
}
