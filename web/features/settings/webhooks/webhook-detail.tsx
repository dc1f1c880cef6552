import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import type { Webhook } from '#domain/webhooks.ts'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { SettingsSection } from '../settings-section.tsx'
import { notifyFailure, WebhookActions, type WebhookQuestion } from './webhook-actions.tsx'
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
  const { id, url, events, previous_until: previousUntil } = webhook
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [isEditing, setEditing] = useState(false)
  const [asking, setAsking] = useState<WebhookQuestion>()
  const [secret, setSecret] = useState<{ text: string; isRotated: boolean }>()
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery(userId).queryKey })
  const save = async (fields: WebhookFields, close: () => void) => {
    await webhookCalls.change(id, fields)
    close()
    notifySuccess(settingsNotices.webhookSaved)
    await refresh()
  }
  const confirmed = useSingleMutation({
    mutationFn: async (what: WebhookQuestion) => {
      if (what === 'delete') await webhookCalls.delete(id)
      if (what === 'off') await webhookCalls.setEnabled(id, false)
      if (what !== 'rotate') return undefined
      const { secret: made } = await webhookCalls.rotate(id)
      return made
    },
    onSuccess: async (made, what) => {
      setAsking((now) => (now === what ? undefined : now))
      if (made !== undefined) setSecret({ text: made, isRotated: true })
      if (what === 'delete') {
        notifySuccess(settingsNotices.webhookDeleted)
        await navigate({ search: { tab: 'webhooks' } })
      }
      await refresh()
    },
    onError: notifyFailure,
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
        <WebhookActions
          {...{ webhook, refresh }}
          onEdit={() => setEditing(true)}
          onAsk={setAsking}
        />
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
