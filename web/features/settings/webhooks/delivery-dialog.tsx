import { useQuery, useQueryClient } from '@tanstack/react-query'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import type { Webhook, WebhookDelivery, WebhookDeliveryDetail } from '#domain/webhooks.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { DeliveryState } from './delivery-state.tsx'
import { deliveryQuery, webhookCalls, webhooksQuery } from './webhooks-query.ts'

interface DeliveryDialogProps {
  userId: string
  webhook: Webhook
  /** Open while there is one. */
  delivery: WebhookDelivery | undefined
  onClose: () => void
}

/** The request, and the receiver's answer. */
export function DeliveryDialog({ delivery, onClose, ...props }: DeliveryDialogProps) {
  return (
    <Dialog
      open={delivery !== undefined}
      onClose={onClose}
      shape="wide"
      title={delivery?.type ?? ''}
    >
      {delivery === undefined ? null : (
        <DeliveryParts {...props} id={delivery.id} onClose={onClose} />
      )}
    </Dialog>
  )
}

type DeliveryPartsProps = Omit<DeliveryDialogProps, 'delivery'> & { id: string }

function DeliveryParts({ userId, webhook, id, onClose }: DeliveryPartsProps) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const query = useQuery(deliveryQuery(userId, webhook.id, id))
  const again = useSingleMutation({
    mutationFn: () => webhookCalls.sendAgain(webhook.id, id),
    onSuccess: async () => {
      notifySuccess(settingsNotices.deliverySent)
      close()
      await client.invalidateQueries({ queryKey: webhooksQuery(userId).queryKey })
    },
    onError: (error) =>
      notifyError({ ...settingsNotices.webhookActFailed, description: error.message }),
  })
  return (
    <>
      <QueryPanel query={query} failed={settingsNotices.deliveryFailed}>
        {(detail) => <Contents detail={detail} />}
      </QueryPanel>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {webhook.is_enabled ? (
          <Button look="accent" busy={again.isPending} onClick={() => again.mutate()}>
            {again.isPending ? 'Please wait...' : 'Send Again'}
          </Button>
        ) : null}
      </DialogActions>
    </>
  )
}

function Contents({ detail }: { detail: WebhookDeliveryDetail }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <div className="text-sm text-ink-soft wrap-anywhere">
        <DeliveryState delivery={detail} />
        <p className="font-mono">{detail.message_id}</p>
      </div>
      <TextPart name="Body" text={indented(detail.body)} />
      {detail.answer === null ? null : (
        <TextPart
          name="Answer"
          text={detail.answer === '' ? '(empty)' : detail.answer}
          note="Its first 1,024 characters"
        />
      )}
    </div>
  )
}

function TextPart({ name, text, note }: { name: string; text: string; note?: string }) {
  return (
    <section aria-label={name}>
      <h3 className="mb-1.5 flex items-baseline justify-between text-sm font-medium">
        {name}
        {note === undefined ? null : <span className="font-normal text-ink-faint">{note}</span>}
      </h3>
      <ScrollRegion className="max-h-72 overflow-auto rounded-xl border border-line bg-sunken p-3.5">
        <pre className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">{text}</pre>
      </ScrollRegion>
    </section>
  )
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
