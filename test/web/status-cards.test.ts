import { expect, it } from 'vitest'
import { factWords } from '#web/features/admin/system/status-cards.ts'

it('a card words a fact by its card', () => {
  expect(factWords('outbox', 'failed', 1_200)).toEqual({ name: 'Undeliverable', text: '1,200' })
  expect(factWords('clicks', 'oldestWaitingSeconds', 200).text).toBe('3 min')
  // A card of a newer server, and a fact of one.
  expect(factWords('backups', 'failed', 2)).toEqual({ name: 'Failed', text: '2' })
  expect(factWords('outbox', 'lastSentAt', null)).toEqual({ name: 'Last sent at', text: 'None' })
})
