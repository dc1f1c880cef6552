import type { Factor } from '@supabase/auth-js'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accessNotices } from '#domain/texts/account-texts.ts'
import type { AuthClientType } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { CodeFactorForm } from './code-factor-form.tsx'
import { KeyFactorForm } from './key-factor-form.tsx'
import { factorName, secondFactorsQuery } from './second-factor.ts'

interface SecondFactorFormProps {
  /** Holds the session that lacks it. */
  client: AuthClientType
  userId: string
  onDone: () => void
}

/** Asks for one of the person's second factors; the session is good for everything after that. */
export function SecondFactorForm({ client, userId, onDone }: SecondFactorFormProps) {
  const factors = useQuery(secondFactorsQuery(client, userId))
  return (
    <QueryPanel query={factors} failed={accessNotices.factorsFailed}>
      {(list) => <FactorChoice client={client} factors={list} onDone={onDone} />}
    </QueryPanel>
  )
}

interface FactorChoiceProps {
  client: AuthClientType
  factors: Factor[]
  onDone: () => void
}

function FactorChoice({ client, factors, onDone }: FactorChoiceProps) {
  const [chosen, setChosen] = useState(factors[0]?.id)
  const factor = factors.find(({ id }) => id === chosen) ?? factors[0]
  if (factor === undefined) return null
  const others = factors.filter(({ id }) => id !== factor.id)
  return (
    <div className="grid gap-6">
      {factor.factor_type === 'webauthn' ? (
        <KeyFactorForm key={factor.id} client={client} factor={factor} onDone={onDone} />
      ) : (
        <CodeFactorForm key={factor.id} client={client} factor={factor} onDone={onDone} />
      )}
      {others.length === 0 ? null : (
        <div className="grid justify-items-start gap-1 border-t border-line pt-5">
          <p className="text-sm text-ink-faint">Or use</p>
          {others.map((other) => (
            <Button
              key={other.id}
              look="quiet"
              size="small"
              className="-ml-3.5"
              onClick={() => setChosen(other.id)}
            >
              {factorName(other)}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
