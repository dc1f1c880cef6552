import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { focusField } from '#web/session/first-issue.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError } from '#web/ui/notify.ts'
import type { AddFactorProps } from './add-authenticator.tsx'
import { claimFactorName } from './claim-factor-name.ts'

export function AddKey({ onCancel, onAdded }: AddFactorProps) {
  const [name, setName] = useState('')
  const register = useMutation({
    mutationFn: async () => {
      const taken = await claimFactorName(name.trim())
      if (taken !== null) throw new Error(taken)
      const { error } = await auth.mfa.webauthn.register({ friendlyName: name.trim() })
      if (error !== null) throw error
    },
    onSuccess: onAdded,
    onError: (error) =>
      notifyError({ ...settingsNotices.factorFailed, description: error.message }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        if (!register.isPending)
          register.mutate(undefined, { onError: () => focusField(form, 'name') })
      }}
    >
      <Field
        label="Name"
        name="name"
        data-first-focus
        required
        maxLength={100}
        hint="To tell it from others, such as: Blue key. Then your browser asks you to touch it."
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={register.error?.message}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={register.isPending}>
          {register.isPending ? 'Waiting for the key...' : 'Add'}
        </Button>
      </DialogActions>
    </form>
  )
}
