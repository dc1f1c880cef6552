import { useState } from 'react'
import { webhookForm } from '#domain/webhook-form.ts'
import {
  type Webhook,
  webhookEventNames,
  webhookEvents,
  type WebhookEvent,
} from '#domain/webhooks.ts'
import { usePlan } from '#web/plan/plan.ts'
import { ChoiceGroup } from '#web/ui/choice-group.tsx'
import { Field } from '#web/ui/field.tsx'
import { FormActions } from '#web/ui/form-actions.tsx'
import { useForm } from '#web/use-form.ts'
import { submitOrRefuse } from './submit-or-refuse.ts'
import type { WebhookFields } from './webhooks-query.ts'

interface WebhookFormProps {
  userId: string
  /** Undefined: a new one. */
  webhook: Webhook | undefined
  /** Rejects with the server's words. */
  save: (fields: WebhookFields) => Promise<void>
  onCancel: () => void
}

export function WebhookForm({ userId, webhook, save, onCancel }: WebhookFormProps) {
  const plan = usePlan(userId)
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly WebhookEvent[]>(
    webhook?.events ?? ['link.created', 'link.updated', 'link.deleted'],
  )
  const form = useForm({
    schema: webhookForm,
    values: { url, description, events },
    submit: submitOrRefuse(save, 'url'),
  })
  return (
    <form {...form.props} className="grid gap-5">
      <Field
        data-first-focus
        label="Address"
        name="url"
        inputMode="url"
        kind="verbatim"
        placeholder="https://example.com/hoplet"
        hint="Public https URL"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={form.errorOf('url')}
      />
      <Field
        label="Description"
        note="Optional"
        name="description"
        autoComplete="off"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        error={form.errorOf('description')}
      />
      <ChoiceGroup
        legend="Events"
        name="events"
        values={webhookEventNames}
        wordsOf={(name) => webhookEvents[name]}
        chosen={events}
        onChange={setEvents}
        error={form.errorOf('events')}
        note={
          plan?.limits.canViewClicks === false ? (
            <p className="mt-1.5 text-sm text-ink-soft">
              Your plan shows no clicks, so nothing is sent of clicks and popups.
            </p>
          ) : null
        }
      />
      <FormActions
        action={webhook === undefined ? 'Add Webhook' : 'Save'}
        busy={form.busy}
        onCancel={onCancel}
      />
    </form>
  )
}
