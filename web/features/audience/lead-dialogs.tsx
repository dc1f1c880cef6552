import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { leadRetentions } from '#domain/texts/audience-texts.ts'
import { routes } from '#domain/routes.ts'
import type { AudienceFacts, LeadRow } from '#web/api/database.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { useSaveAudience, useTagLeads } from './change-leads.ts'

interface TagDialogProps {
  userId: string
  /** Open while there are some. */
  leads: readonly LeadRow[] | undefined
  onSaved: () => void
  onClose: () => void
}

export function TagLeadsDialog({ leads, ...rest }: TagDialogProps) {
  return (
    <Dialog open={leads !== undefined} onClose={rest.onClose} title="Tags">
      {leads === undefined ? null : <TagForm {...rest} leads={leads} />}
    </Dialog>
  )
}

type TagFormProps = TagDialogProps & { leads: readonly LeadRow[] }

function TagForm({ userId, leads, onSaved, onClose }: TagFormProps) {
  const before = new Set(leads.flatMap(({ tags }) => tags))
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState('')
  const save = useTagLeads(userId)
  const add = typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const ids = leads.map(({ id }) => id)
        save.mutate({ ids, add, remove: [...removed] }, { onSuccess: onSaved })
      }}
    >
      <Field
        label="New tags"
        name="tags"
        data-first-focus
        autoComplete="off"
        hint="Commas separate tags."
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {before.size === 0 ? null : (
        <fieldset className="flex min-w-0 flex-wrap gap-x-5 gap-y-2">
          <legend className="mb-2 text-sm font-medium">Present tags</legend>
          {[...before].map((tag) => (
            <label key={tag} className="flex max-w-full min-w-0 cursor-pointer items-center gap-2">
              <input
                type="checkbox"
                checked={!removed.has(tag)}
                onChange={({ target }) => {
                  const next = new Set(removed)
                  if (target.checked) next.delete(tag)
                  else next.add(tag)
                  setRemoved(next)
                }}
                className="size-6 shrink-0 accent-accent-text"
              />
              <bdi className="truncate">{tag}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      <FormActions action="Save" busyAction="Saving..." busy={save.isPending} onCancel={onClose} />
    </form>
  )
}

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
