import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import type { ApiKey } from '#domain/access/api-keys.ts'
import { scopeWords } from '#domain/access/oauth-scopes.ts'
import { referenceTexts } from '#domain/texts/reference-texts.ts'
import { routes } from '#domain/routes.ts'
import { shownHost } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { countryName } from '#web/ui/code-names.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { dayOf, momentOf } from '#web/ui/time-words.ts'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { SecretDialog } from '../secret-dialog.tsx'
import { settingsCards } from '../settings-parts.ts'
import { SettingsEntry, SettingsSection, type TabProps } from '../settings-section.tsx'
import { SettingsSkeleton } from '../settings-skeleton.tsx'
import { ApiKeyForm, type CreatedKey } from './api-key-form.tsx'
import { apiKeyCalls, apiKeysQuery } from './api-keys-query.ts'
import { firstCall } from './first-call.ts'

/** The keys by which programs of the person's own act for them. */
export function ApiKeysTab({ userId }: TabProps) {
  const keys = useQuery(apiKeysQuery(userId))
  return (
    <QueryPanel
      query={keys}
      loading={null}
      skeleton={<SettingsSkeleton tab="api-keys" />}
      failed={settingsNotices.apiKeysFailed}
    >
      {(list) => <ApiKeyList userId={userId} list={list} />}
    </QueryPanel>
  )
}

function ApiKeyList({ userId, list }: { userId: string; list: readonly ApiKey[] }) {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  const { queryKey } = apiKeysQuery(userId)
  const revoke = useConfirmed<ApiKey>({
    title: 'Revoke this key?',
    describe: ({ name }) => `Programs that use ${name} will stop working.`,
    action: 'Revoke',
    busyAction: 'Please wait...',
    run: ({ id }) => apiKeyCalls.revoke(id),
    done: () => settingsNotices.apiKeyRevoked,
    failed: () => settingsNotices.apiKeyRevokeFailed,
    queryKey,
  })
  const addButton = (
    <Button look={list.length === 0 ? 'ink' : 'plain'} onClick={() => setAdding(true)}>
      <Plus size={17} aria-hidden />
      New Key
    </Button>
  )
  return (
    <>
      {list.length === 0 ? (
        <StatePanel
          title="No API keys"
          figure={<KeyRound size={32} aria-hidden className="text-ink-faint" />}
          action={addButton}
        >
          Create links and read analytics from your own code. <ReferenceLink />
        </StatePanel>
      ) : (
        <SettingsSection
          title={settingsCards['api-keys'].keys}
          intro={
            <>
              Programs use these keys to access your account. <ReferenceLink />
            </>
          }
        >
          <ul>
            {list.map((key) => (
              <SettingsEntry
                key={key.id}
                name={key.name}
                facts={<ApiKeyFacts apiKey={key} />}
                action={
                  <Button
                    look="danger"
                    size="small"
                    aria-label={`Revoke the key ${key.name}`}
                    onClick={() => revoke.ask(key)}
                  >
                    Revoke
                  </Button>
                }
              />
            ))}
          </ul>
          <div className="mt-6">{addButton}</div>
          {revoke.dialog}
        </SettingsSection>
      )}
      <Dialog open={isAdding} onClose={() => setAdding(false)} title="New API key">
        <ApiKeyForm
          userId={userId}
          onCreated={async (key, close) => {
            close()
            setCreated(key)
            await client.invalidateQueries({ queryKey })
          }}
          onCancel={() => setAdding(false)}
        />
      </Dialog>
      <SecretDialog
        title="Your new API key"
        description="Copy it now. You won’t see it again."
        label="API key"
        secret={created?.key}
        example={created && firstCall(created.key, created.scopes)}
        onClose={() => setCreated(undefined)}
      />
    </>
  )
}

function ReferenceLink() {
  return (
    <Link
      to={routes.reference.path}
      className="text-ink underline underline-offset-4 hover:decoration-2"
    >
      {referenceTexts.title}
    </Link>
  )
}

function ApiKeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { hint, scopes, created_at: created, expires_at: expires, is_expired: isExpired } = apiKey
  const { last_used_at: used, last_used_country: country, domains } = apiKey
  return (
    <>
      <code className="font-mono text-xs text-ink-faint">hop_{hint}…</code>
      <ul className="my-1 list-disc pl-5">
        {scopeWords(scopes).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {domains === null ? null : (
        <p className="wrap-anywhere">
          On {domains.map((host) => shownHost(host === '' ? null : host)).join(', ')}
        </p>
      )}
      <p>
        Created {dayOf(created)}.{' '}
        {used === null
          ? 'Never used.'
          : `Last used ${momentOf(used)}${country === null ? '' : ` from ${countryName(country)}`}.`}
      </p>
      {expires === null ? null : (
        <p className={isExpired ? 'text-danger' : ''}>
          {isExpired ? 'Expired' : 'Works until'} {dayOf(expires)}
        </p>
      )}
    </>
  )
}
