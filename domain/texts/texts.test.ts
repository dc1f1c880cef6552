import { describe, expect, test } from 'vitest'
import { limitReachedNotice, qrLimitReachedNotice } from './plan-texts.ts'

describe('the notices of a reached limit', () => {
  test('tell the free plan to upgrade', () => {
    expect(
      limitReachedNotice({ limit: 2, limitType: 'lifetime', plan: 'free', kind: 'custom' }),
    ).toEqual({
      title: 'Limit Reached',
      description:
        "You've reached your total limit of 2 custom codes. Upgrade to Pro or delete existing links to continue.",
    })
  })

  test.each(['pro', 'business'] as const)('tell the %s plan to wait for tomorrow', (plan) => {
    expect(limitReachedNotice({ limit: 50, limitType: 'daily', plan, kind: 'url' })).toEqual({
      title: 'Limit Reached',
      description:
        "You've reached your today limit of 50 shortened URLs. Please try again tomorrow or delete existing links.",
    })
  })

  test('name the QR limit', () => {
    expect(qrLimitReachedNotice(50)).toEqual({
      title: 'QR Code Limit Reached',
      description: "You've reached your daily limit of 50 QR codes. Please try again tomorrow.",
    })
  })
})
