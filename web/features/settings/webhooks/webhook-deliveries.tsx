import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import type { Webhook, WebhookDelivery } from '#domain/webhooks.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { momentOf } from '#web/ui/time-words.ts'
import { SettingsEntry, SettingsSection } from '../settings-section.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { deliveriesQuery } from './webhooks-query.ts'

/** Deliveries of a webhook, newest first. */
export function WebhookDeliveries({ userId, webhook }: { userId: string; webhook: Webhook }) {
  const query = useInfiniteQuery(deliveriesQuery(userId, webhook.id))
  const [open, setOpen] = useState<WebhookDelivery>()
  return (
    <SettingsSection title="Deliveries" intro="Last seven days, at most 5,000.">
      <QueryList
        query={query}
        rows={query.data?.pages.flatMap((page) => page.deliveries)}
        failed={settingsNotices.deliveriesFailed}
        empty={
          <p className="text-ink-soft">
            {webhook.provider === null
              ? 'Nothing was sent yet. Send a test to see what arrives at the receiver.'
              : 'New addresses appear here.'}
          </p>
        }
        more={{ label: 'Show More', busy: 'Please wait...', className: 'mt-6' }}
      >
        {(deliveries) => (
          <ul>
            {deliveries.map((delivery) => (
              <SettingsEntry
                key={delivery.id}
                name={delivery.type}
                facts={
                  <>
                    <DeliveryState delivery={delivery} />
                    <p>{momentOf(delivery.created_at)}</p>
                  </>
                }
                action={
                  <Button
                    size="small"
                    aria-label={`Show ${delivery.type} of ${momentOf(delivery.created_at)}`}
                    onClick={() => setOpen(delivery)}
                  >
                    Show
                  </Button>
                }
              />
            ))}
          </ul>
        )}
      </QueryList>
      <DeliveryDialog
        userId={userId}
        webhook={webhook}
        delivery={open}
        onClose={() => setOpen(undefined)}
      />
    </SettingsSection>
  )
}
