import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { leadRetentions } from '#domain/texts/audience-texts.ts'
import { routes } from '#domain/routes.ts'
import type { AudienceFacts } from '#web/api/database.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { useSaveAudience } from './change-leads.ts'

interface SettingsDialogProps {
  userId: string
  /** Open while there are some. */
  facts: AudienceFacts | undefined
  onClose: () => void
}

export function AudienceSettingsDialog({ facts, ...rest }: SettingsDialogProps) {
  return (
    <Dialog open={facts !== undefined} onClose={rest.onClose} title="Audience settings">
      {facts === undefined ? null : <SettingsForm {...rest} facts={facts} />}
    </Dialog>
  )
}

function SettingsForm({ userId, facts, onClose }: SettingsDialogProps & { facts: AudienceFacts }) {
  const [opened] = useState(facts)
  const stored = opened.retention_days === null ? '' : String(opened.retention_days)
  const [days, setDays] = useState(stored)
  const [isDouble, setIsDouble] = useState(opened.double_opt_in)
  const save = useSaveAudience(userId)
  const isKnown = leadRetentions.some(({ value }) => value === stored)
  const options = isKnown
    ? leadRetentions
    : [...leadRetentions, { value: stored, label: `${stored} days` }]
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(
          {
            ...(days !== stored && { _retention_days: days === '' ? null : Number(days) }),
            ...(isDouble !== opened.double_opt_in && { _double_opt_in: isDouble }),
          },
          { onSuccess: onClose },
        )
      }}
    >
      <SelectField
        label="Keep addresses"
        name="retention"
        options={options}
        value={days}
        onChange={setDays}
      />
      <div>
        <Switch label="Confirm by email" checked={isDouble} onChange={setIsDouble} />
        <p className="text-sm text-ink-soft">New addresses count after their confirmation.</p>
      </div>
      <Link
        to={routes.settings.path}
        search={{ tab: 'webhooks' }}
        className="justify-self-start text-sm font-medium underline underline-offset-4"
      >
        Email providers
      </Link>
      <p className="text-sm text-ink-soft tabular-nums">
        {`${facts.leads.toLocaleString('en-US')} of ${facts.max_leads.toLocaleString('en-US')} addresses used.`}
      </p>
      <FormActions action="Save" busyAction="Saving..." busy={save.isPending} onCancel={onClose} />
    </form>
  )
}
