import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { type Webhook, webhookProviders } from '#domain/webhooks.ts'
import { site } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { settingsCards } from '../settings-parts.ts'
import { SettingsEntry, SettingsSection, type TabProps } from '../settings-section.tsx'
import { SettingsSkeleton } from '../settings-skeleton.tsx'
import { WebhookDetail } from './webhook-detail.tsx'
import { ProviderForm } from './provider-form.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { SigningSecretDialog } from './signing-secret-dialog.tsx'
import { WebhookState } from './webhook-state.tsx'
import {
  webhookCalls,
  type ProviderFields,
  type WebhookFields,
  webhooksQuery,
} from './webhooks-query.ts'

const route = getRouteApi(routes.settings.path)

/** The endpoints that are notified of events in the account; one of them when the address names it. */
export function WebhooksTab({ userId }: TabProps) {
  const { webhook: chosen } = route.useSearch()
  const webhooks = useQuery(webhooksQuery(userId))
  return (
    <QueryPanel
      query={webhooks}
      loading={null}
      skeleton={<SettingsSkeleton tab="webhooks" />}
      failed={settingsNotices.webhooksFailed}
    >
      {(list) => {
        const shown = list.find(({ id }) => id === chosen)
        return shown === undefined ? (
          <WebhookList userId={userId} list={list} />
        ) : (
          <WebhookDetail key={shown.id} userId={userId} webhook={shown} />
        )
      }}
    </QueryPanel>
  )
}

function WebhookList({ userId, list }: { userId: string; list: readonly Webhook[] }) {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [isAddingProvider, setAddingProvider] = useState(false)
  const [secret, setSecret] = useState<{ text: string; isRotated: boolean }>()
  const add = async (fields: WebhookFields, close: () => void) => {
    const created = await webhookCalls.create(fields)
    close()
    setSecret({ text: created.secret, isRotated: false })
    await client.invalidateQueries(webhooksQuery(userId))
  }
  const addProvider = async (fields: ProviderFields, close: () => void) => {
    await webhookCalls.addProvider(fields)
    close()
    await client.invalidateQueries(webhooksQuery(userId))
  }
  const addButton = (
    <div className="flex flex-wrap justify-center gap-2.5">
      <Button look={list.length === 0 ? 'ink' : 'plain'} onClick={() => setAdding(true)}>
        <Plus size={17} aria-hidden />
        Add Webhook
      </Button>
      <Button onClick={() => setAddingProvider(true)}>
        <Plus size={17} aria-hidden />
        Add Email Provider
      </Button>
    </div>
  )
  return (
    <>
      {list.length === 0 ? (
        <StatePanel
          title="No webhooks"
          figure={<WebhookIcon size={32} aria-hidden className="text-ink-faint" />}
          action={addButton}
        >
          {site.hasPlans
            ? 'Get notified when links, clicks, popups or your plan change.'
            : 'Get notified when links, clicks or popups change.'}
        </StatePanel>
      ) : (
        <SettingsSection
          title={settingsCards.webhooks.webhooks}
          intro="We notify each endpoint about events in your account, signed by the Standard Webhooks specification."
        >
          <ul>
            {list.map((webhook) => (
              <SettingsEntry
                key={webhook.id}
                name={webhook.provider === null ? webhook.url : webhookProviders[webhook.provider]}
                facts={
                  <>
                    {webhook.description === '' ? null : <p>{webhook.description}</p>}
                    <WebhookState webhook={webhook} />
                  </>
                }
                action={
                  <Link
                    to={routes.settings.path}
                    search={{ tab: 'webhooks', webhook: webhook.id }}
                    aria-label={`Open the webhook to ${webhook.url}`}
                    className={buttonClass('plain', 'small')}
                  >
                    Open
                  </Link>
                }
              />
            ))}
          </ul>
          <div className="mt-6 flex">{addButton}</div>
        </SettingsSection>
      )}
      <Dialog open={isAdding} onClose={() => setAdding(false)} title="Add a webhook">
        <WebhookForm
          userId={userId}
          webhook={undefined}
          save={add}
          onCancel={() => setAdding(false)}
        />
      </Dialog>
      <Dialog
        open={isAddingProvider}
        onClose={() => setAddingProvider(false)}
        title="Add an email provider"
        description="New addresses of your audience join its list."
      >
        {isAddingProvider ? (
          <ProviderForm save={addProvider} onCancel={() => setAddingProvider(false)} />
        ) : null}
      </Dialog>
      <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}
