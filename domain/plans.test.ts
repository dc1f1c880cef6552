import { expect, it } from 'vitest'
import { planOffers } from './plans.ts'

// The specification's words: the texts are made of the limits.
it('the screen of plans offers the plans of the specification', () => {
  expect(planOffers.free.features).toEqual([
    '2 custom URL codes lifetime',
    '50 shortened URLs lifetime',
    'Basic link management',
    'No click tracking',
    'No QR codes',
  ])
  expect(planOffers.pro.features.slice(1, 4)).toEqual([
    '2 custom-code URLs per day',
    '50 shortened URLs per day',
    '50 QR codes per day',
  ])
  expect(planOffers.business.features.slice(1, 4)).toEqual([
    '20 custom-code URLs per day',
    '500 shortened URLs per day',
    '500 QR codes per day',
  ])
})
