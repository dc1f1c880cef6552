import { webhookForm } from '#domain/webhook-form.ts'
import {
  type Webhook,
  webhookEventNames,
  webhookEvents,
  type WebhookEvent,
} from '#domain/webhooks.ts'
import { site } from '#web/site.ts'
import { usePlan } from '#web/plan/plan.ts'
import { ChoiceGroup } from '#web/ui/fields/choice-group.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { submitOrRefuse } from './submit-or-refuse.ts'
import type { WebhookFields } from './webhooks-query.ts'

interface WebhookFormProps {
  userId: string
  /** Undefined: a new one. */
  webhook: Webhook | undefined
  /** Rejects with the server's words. `close` closes the form, unless another one is open by then. */
  save: (fields: WebhookFields, close: () => void) => Promise<void>
  onCancel: () => void
}

const firstEvents: readonly WebhookEvent[] = ['link.created', 'link.updated', 'link.deleted']

export function WebhookForm({ userId, webhook, save, onCancel }: WebhookFormProps) {
  const plan = usePlan(userId)
  const close = useWhileShown(onCancel)
  const form = useFormFields({
    schema: webhookForm,
    initial: {
      url: webhook?.url ?? '',
      description: webhook?.description ?? '',
      events: webhook?.events ?? firstEvents,
    },
    submit: submitOrRefuse((fields) => save(fields, close), 'url'),
  })
  return (
    <form {...form.props} className="grid gap-5">
      <Field
        data-first-focus
        label="Address"
        inputMode="url"
        kind="verbatim"
        placeholder="https://example.com/hoplet"
        hint="Public https URL"
        {...form.text('url')}
      />
      <Field label="Description" note="Optional" autoComplete="off" {...form.text('description')} />
      <ChoiceGroup
        legend="Events"
        values={webhookEventNames.filter((name) => site.hasPlans || name !== 'plan.changed')}
        wordsOf={(name) => webhookEvents[name]}
        {...form.field('events')}
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
