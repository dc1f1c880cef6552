import type { Factor } from '@supabase/auth-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accessNotices, settingsNotices } from '#domain/texts/account-texts.ts'
import {
  canUseKeys,
  factorName,
  secondFactorsQuery,
  whyNoKeys,
} from '#web/session/second-factor.ts'
import { signInOptionsQuery } from '#web/session/sign-in-options.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { type FactorKind, FactorDialog } from './factor-dialog.tsx'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'

const kinds = { totp: 'Authenticator app', webauthn: 'Security key', phone: 'Phone' } as const

/** Second factors: list, add, remove. */
export function FactorSection({ userId }: { userId: string }) {
  const client = useQueryClient()
  const factors = useQuery(secondFactorsQuery(auth, userId))
  const can = useQuery(signInOptionsQuery).data?.factors
  const [adding, setAdding] = useState<FactorKind>()
  const remove = useConfirmed<Factor>({
    title: 'Remove this second factor?',
    describe: (factor) => `${factorName(factor)} will no longer be asked for at the sign-in.`,
    action: 'Remove',
    busyAction: 'Removing...',
    run: async ({ id }) => {
      const { error } = await auth.mfa.unenroll({ factorId: id })
      if (error !== null) throw error
      // The level of this session has fallen with the factor; its token should say so.
      await auth.refreshSession()
    },
    done: () => settingsNotices.factorRemoved,
    failed: ({ message }) => ({ ...settingsNotices.factorRemoveFailed, description: message }),
    queryKey: ['account', userId],
  })

  return (
    <SettingsSection
      title={settingsCards.security.factors}
      intro="Adds a second step at sign-in. Set up two, in case you lose one."
    >
      <QueryList
        query={factors}
        rows={factors.data}
        failed={accessNotices.factorsFailed}
        empty={<p className="text-ink-soft">Off.</p>}
      >
        {(list) => (
          <ul>
            {list.map((factor) => (
              <SettingsEntry
                key={factor.id}
                name={factorName(factor)}
                facts={`${kinds[factor.factor_type]}, since ${dayOf(factor.created_at)}`}
                action={
                  <Button
                    look="danger"
                    size="small"
                    aria-label={`Remove ${factorName(factor)}`}
                    onClick={() => remove.ask(factor)}
                  >
                    Remove
                  </Button>
                }
              />
            ))}
          </ul>
        )}
      </QueryList>
      <div className="mt-6 flex flex-wrap gap-2.5">
        <Button onClick={() => setAdding('totp')}>Add Authenticator App</Button>
        {can?.webauthn === true && canUseKeys() ? (
          <Button onClick={() => setAdding('webauthn')}>Add Security Key</Button>
        ) : null}
        {can?.phone === true ? <Button onClick={() => setAdding('phone')}>Add Phone</Button> : null}
      </div>
      {can === undefined || (can.webauthn && canUseKeys()) ? null : (
        <p className="mt-4 text-sm text-ink-faint">{whyNoKeys(can.webauthn)}</p>
      )}
      <FactorDialog
        kind={adding}
        onClose={() => setAdding(undefined)}
        onAdded={() => {
          notifySuccess(settingsNotices.factorAdded)
          void client.invalidateQueries({ queryKey: ['account', userId] })
        }}
      />
      {remove.dialog}
    </SettingsSection>
  )
}
