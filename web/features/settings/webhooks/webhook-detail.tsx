import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { routes } from '#domain/routes.ts'
import type { Webhook } from '#domain/webhooks.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { useSingleMutation } from '#web/ui/use-single-mutation.ts'
import { SettingsSection } from '../settings-section.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { SigningSecretDialog } from './signing-secret-dialog.tsx'
import { WebhookState } from './webhook-state.tsx'
import { webhookCalls, type WebhookFields, webhooksQuery } from './webhooks-query.ts'

interface WebhookDetailProps {
  userId: string
  webhook: Webhook
}

const route = getRouteApi(routes.settings.path)

/** One webhook: its events, and its deliveries. */
export function WebhookDetail({ userId, webhook }: WebhookDetailProps) {
  const { id, url, events, is_enabled: isEnabled, previous_until: previousUntil } = webhook
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [isEditing, setEditing] = useState(false)
  const [asking, setAsking] = useState<'delete' | 'rotate' | 'off'>()
  const [secret, setSecret] = useState<{ text: string; isRotated: boolean }>()
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery(userId).queryKey })
  const save = async (fields: WebhookFields) => {
    await webhookCalls.change(id, fields)
    setEditing(false)
    notifySuccess(settingsNotices.webhookSaved)
    await refresh()
  }
  const onError = (error: Error) =>
    notifyError({ ...settingsNotices.webhookActFailed, description: error.message })
  const test = useSingleMutation({
    mutationFn: () => webhookCalls.test(id),
    onSuccess: async () => {
      notifySuccess(settingsNotices.webhookTested)
      await refresh()
    },
    onError,
  })
  const setState = useSingleMutation({
    mutationFn: (wanted: boolean) => webhookCalls.setEnabled(id, wanted),
    onSuccess: refresh,
    onError,
  })
  const confirmed = useSingleMutation({
    mutationFn: async (what: 'delete' | 'rotate' | 'off') => {
      if (what === 'delete') await webhookCalls.delete(id)
      if (what === 'off') await webhookCalls.setEnabled(id, false)
      if (what !== 'rotate') return undefined
      const { secret: made } = await webhookCalls.rotate(id)
      return made
    },
    onSuccess: async (made, what) => {
      setAsking(undefined)
      if (made !== undefined) setSecret({ text: made, isRotated: true })
      if (what === 'delete') {
        notifySuccess(settingsNotices.webhookDeleted)
        await navigate({ search: { tab: 'webhooks' } })
      }
      await refresh()
    },
    onError,
  })

  return (
    <>
      <Link
        to={routes.settings.path}
        search={{ tab: 'webhooks' }}
        className="mb-4 inline-flex min-h-11 items-center gap-2 text-sm font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft size={17} aria-hidden />
        All webhooks
      </Link>
      <SettingsSection
        title={webhook.description === '' ? 'Webhook' : webhook.description}
        intro={<WebhookState webhook={webhook} />}
      >
        <p className="font-mono text-sm wrap-anywhere">{url}</p>
        <p className="mt-2 text-sm text-ink-soft wrap-anywhere">{events.join(', ')}</p>
        {previousUntil === null ? null : (
          <p className="mt-3 rounded-2xl bg-accent-wash px-4 py-3 text-sm">
            Two secrets sign until {momentOf(previousUntil)}.
          </p>
        )}
        <div className="mt-6 flex flex-wrap gap-2.5">
          {isEnabled ? (
            <Button busy={test.isPending} onClick={() => test.mutate()}>
              {test.isPending ? 'Please wait...' : 'Send a Test'}
            </Button>
          ) : (
            <Button look="accent" busy={setState.isPending} onClick={() => setState.mutate(true)}>
              {setState.isPending ? 'Please wait...' : 'Switch On'}
            </Button>
          )}
          <Button onClick={() => setEditing(true)}>Edit</Button>
          <Button onClick={() => setAsking('rotate')}>Rotate Secret</Button>
          {isEnabled ? <Button onClick={() => setAsking('off')}>Switch Off</Button> : null}
          <Button look="danger" onClick={() => setAsking('delete')}>
            Delete
          </Button>
        </div>
      </SettingsSection>
      <WebhookDeliveries userId={userId} webhook={webhook} />
      <Dialog open={isEditing} onClose={() => setEditing(false)} title="Edit the webhook">
        <WebhookForm
          userId={userId}
          webhook={webhook}
          save={save}
          onCancel={() => setEditing(false)}
        />
      </Dialog>
      <ConfirmDialog
        subject={asking}
        {...questions[asking ?? 'delete']}
        busy={confirmed.isPending}
        onClose={() => setAsking(undefined)}
        onConfirm={(what) => confirmed.mutate(what)}
      />
      <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

const questions = {
  delete: {
    title: 'Delete the webhook?',
    describe: () => 'What waits is not sent, and the list of deliveries is gone for good.',
    action: 'Delete',
    busyAction: 'Please wait...',
  },
  rotate: {
    title: 'Make a new secret?',
    describe: () =>
      'Both secrets sign for 24 hours. The receiver must know the new one by then, or it refuses what we send.',
    action: 'Rotate',
    busyAction: 'Please wait...',
  },
  off: {
    title: 'Switch the webhook off?',
    describe: () => 'What waits is not sent, and while it is off, events are not kept for it.',
    action: 'Switch Off',
    busyAction: 'Please wait...',
  },
}
