import { useQuery } from '@tanstack/react-query'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { apiKeyForm, type ApiKeyLifetime } from '#domain/access/api-key-form.ts'
import { apiKeyScopes, scopesOnDomains } from '#domain/access/api-keys.ts'
import { type OAuthScope, scopeWords } from '#domain/access/oauth-scopes.ts'
import { domainChoicesQuery } from '#web/domains/domain-choices.ts'
import { shownHost } from '#web/shown-link.ts'
import { useSpace } from '#web/session/space/account-store.ts'
import { AuthDoorError } from '#web/session/auth-door.ts'
import { ChoiceGroup } from '#web/ui/fields/choice-group.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { apiKeyCalls } from './api-keys-query.ts'

export interface CreatedKey {
  key: string
  scopes: readonly OAuthScope[]
}

interface ApiKeyFormProps {
  userId: string
  /** `close` closes the form, unless another one is open by then. */
  onCreated: (key: CreatedKey, close: () => void) => Promise<void>
  onCancel: () => void
}

const lifetimes: { value: ApiKeyLifetime; label: string }[] = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'unlimited', label: 'Never' },
]

const firstKey = {
  name: '',
  scopes: ['links:read', 'links:write'] as readonly OAuthScope[],
  domains: [] as readonly string[],
  lifetime: '90' as ApiKeyLifetime,
}

export function ApiKeyForm({ userId, onCreated, onCancel }: ApiKeyFormProps) {
  const { data: domains = [] } = useQuery(domainChoicesQuery(userId))
  const space = useSpace()
  const close = useWhileShown(onCancel)
  const form = useFormFields({
    schema: apiKeyForm,
    initial: firstKey,
    submit: async ({ lifetime: days, domains: hosts, ...fields }) => {
      try {
        const expires = days === 'unlimited' ? null : Number(days)
        const limit = hosts.length === 0 ? null : hosts
        const key = await apiKeyCalls.create({
          ...fields,
          domains: limit,
          expires_in_days: expires,
        })
        await onCreated({ key, scopes: fields.scopes }, close)
        return undefined
      } catch (error) {
        if (!(error instanceof AuthDoorError)) throw error
        const notice = { ...settingsNotices.apiKeyNotCreated, description: error.message }
        return { field: 'name', text: error.message, notice }
      }
    },
  })
  const scopes = form.field('scopes')
  const chosen = form.field('domains')
  const isChosen = (scope: OAuthScope) => scopes.value.includes(scope)
  return (
    <form {...form.props} className="grid gap-5">
      <p className="text-sm text-ink-soft wrap-anywhere">
        {space === undefined ? 'The key acts for you.' : `The key acts for ${space.name}.`}
      </p>
      <Field
        data-first-focus
        label="Name"
        autoComplete="off"
        placeholder="Newsletter script"
        hint="For your reference"
        {...form.text('name')}
      />
      {domains.length === 0 ? null : (
        <ChoiceGroup
          legend="Domains"
          values={['', ...domains.map(({ host }) => host)]}
          wordsOf={(host) => shownHost(host === '' ? null : host)}
          note={<p className="text-sm text-ink-soft">Without a choice, all domains and data.</p>}
          {...chosen}
          onChange={(hosts) => {
            chosen.onChange(hosts)
            // A key of domains opens links alone.
            if (hosts.length > 0) scopes.onChange(scopesOnDomains.filter(isChosen))
          }}
        />
      )}
      <ChoiceGroup
        legend="Permissions"
        values={chosen.value.length === 0 ? apiKeyScopes : scopesOnDomains}
        wordsOf={(scope) => scopeWords([scope])}
        {...scopes}
      />
      <SelectField label="Expires" options={lifetimes} {...form.field('lifetime')} />
      <FormActions action="Create Key" busy={form.busy} onCancel={onCancel} />
    </form>
  )
}
