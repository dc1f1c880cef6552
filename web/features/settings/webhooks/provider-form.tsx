import { useState } from 'react'
import { providerForm } from '#domain/webhook-form.ts'
import { type WebhookProvider, webhookProviders } from '#domain/webhooks.ts'
import { Field } from '#web/ui/field.tsx'
import { FormActions } from '#web/ui/form-actions.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { useForm } from '#web/use-form.ts'
import { submitOrRefuse } from './submit-or-refuse.ts'
import type { ProviderFields } from './webhooks-query.ts'

interface ProviderFormProps {
  /** Rejects with the server's words. */
  save: (fields: ProviderFields) => Promise<void>
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
  const [kind, setKind] = useState<WebhookProvider>('brevo')
  const [url, setUrl] = useState('')
  const [key, setKey] = useState('')
  const [list, setList] = useState('')
  const form = useForm({
    schema: providerForm,
    values: { kind, url, key, list },
    submit: submitOrRefuse(save, 'key'),
  })
  return (
    <form {...form.props} className="grid gap-5">
      <SelectField label="Provider" name="kind" options={options} value={kind} onChange={setKind} />
      {kind === 'listmonk' ? (
        <Field
          label="Address"
          name="url"
          inputMode="url"
          kind="verbatim"
          placeholder="https://listmonk.example.com"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          error={form.errorOf('url')}
        />
      ) : null}
      <Field
        label="API key"
        name="key"
        type="password"
        kind="verbatim"
        hint={keyHints[kind]}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        error={form.errorOf('key')}
      />
      <Field
        label="List ID"
        name="list"
        kind="verbatim"
        value={list}
        onChange={(event) => setList(event.target.value)}
        error={form.errorOf('list')}
      />
      <FormActions action="Add Provider" busy={form.busy} onCancel={onCancel} />
    </form>
  )
}
