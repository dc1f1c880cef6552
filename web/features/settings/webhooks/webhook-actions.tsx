import { settingsNotices } from '#domain/texts/account-texts.ts'
import type { Webhook } from '#domain/webhooks.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { webhookCalls } from './webhooks-query.ts'

/** Actions that ask before. */
export type WebhookQuestion = 'delete' | 'rotate' | 'off'

interface WebhookActionsProps {
  webhook: Webhook
  /** Reads the webhooks again. */
  refresh: () => Promise<void>
  onEdit: () => void
  onAsk: (question: WebhookQuestion) => void
}

export function notifyFailure(error: Error): void {
  notifyError({ ...settingsNotices.webhookActFailed, description: error.message })
}

/** The buttons of a webhook. */
export function WebhookActions({ webhook, refresh, onEdit, onAsk }: WebhookActionsProps) {
  const { id, is_enabled: isEnabled, provider } = webhook
  const test = useSingleMutation({
    mutationFn: () => webhookCalls.test(id),
    onSuccess: async () => {
      notifySuccess(settingsNotices.webhookTested)
      await refresh()
    },
    onError: notifyFailure,
  })
  const setState = useSingleMutation({
    mutationFn: (wanted: boolean) => webhookCalls.setEnabled(id, wanted),
    onSuccess: refresh,
    onError: notifyFailure,
  })

  return (
    <div className="mt-6 flex flex-wrap gap-2.5">
      {isEnabled ? (
        provider === null ? (
          <Button busy={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? 'Please wait...' : 'Send a Test'}
          </Button>
        ) : null
      ) : (
        <Button look="accent" busy={setState.isPending} onClick={() => setState.mutate(true)}>
          {setState.isPending ? 'Please wait...' : 'Switch On'}
        </Button>
      )}
      {provider === null ? (
        <>
          <Button onClick={onEdit}>Edit</Button>
          <Button onClick={() => onAsk('rotate')}>Rotate Secret</Button>
        </>
      ) : null}
      {isEnabled ? <Button onClick={() => onAsk('off')}>Switch Off</Button> : null}
      <Button look="danger" onClick={() => onAsk('delete')}>
        Delete
      </Button>
    </div>
  )
}
