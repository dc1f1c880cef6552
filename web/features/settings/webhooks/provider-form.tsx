import { providerForm } from '#domain/webhook-form.ts'
import { type WebhookProvider, webhookProviders } from '#domain/webhooks.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { submitOrRefuse } from './submit-or-refuse.ts'
import type { ProviderFields } from './webhooks-query.ts'

interface ProviderFormProps {
  /** Rejects with the server's words. `close` closes the form, unless another one is open by then. */
  save: (fields: ProviderFields, close: () => void) => Promise<void>
  onCancel: () => void
}

const options = (Object.keys(webhookProviders) as WebhookProvider[]).map((value) => ({
  value,
  label: webhookProviders[value],
}))

const keyHints: Record<WebhookProvider, string> = {
  brevo: 'Brevo: Settings, SMTP and API.',
  mailchimp: 'Mailchimp: Profile, Extras, API keys.',
  listmonk: 'The user and token: user:token.',
}

/** Adds the addresses of the audience to a list of an email provider. */
export function ProviderForm({ save, onCancel }: ProviderFormProps) {
  const close = useWhileShown(onCancel)
  const form = useFormFields({
    schema: providerForm,
    initial: { kind: 'brevo' as WebhookProvider, url: '', key: '', list: '' },
    submit: submitOrRefuse((fields) => save(fields, close), 'key'),
  })
  const { kind } = form.values
  return (
    <form {...form.props} className="grid gap-5">
      <SelectField label="Provider" options={options} {...form.field('kind')} />
      {kind === 'listmonk' ? (
        <Field
          label="Address"
          inputMode="url"
          kind="verbatim"
          placeholder="https://listmonk.example.com"
          {...form.text('url')}
        />
      ) : null}
      <Field
        label="API key"
        type="password"
        kind="verbatim"
        hint={keyHints[kind]}
        {...form.text('key')}
      />
      <Field label="List ID" kind="verbatim" {...form.text('list')} />
      <FormActions action="Add Provider" busy={form.busy} onCancel={onCancel} />
    </form>
  )
}
