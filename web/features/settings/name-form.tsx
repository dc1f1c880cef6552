import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { profileForm } from '#domain/forms.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifySuccess } from '#web/ui/notify.ts'
import { useForm } from '#web/use-form.ts'
import { profileQuery, saveDisplayName } from '#web/session/profile-query.ts'

export function NameForm({ userId, displayName }: { userId: string; displayName: string }) {
  const client = useQueryClient()
  const [name, setName] = useState(displayName)
  const form = useForm({
    schema: profileForm,
    values: { displayName: name },
    submit: async ({ displayName: wanted }) => {
      try {
        await saveDisplayName(userId, wanted)
      } catch {
        return { notice: settingsNotices.nameFailed }
      }
      setName(wanted)
      notifySuccess(settingsNotices.nameSaved)
      await client.invalidateQueries(profileQuery(userId))
      return undefined
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Display name"
        note="optional"
        name="displayName"
        autoComplete="name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={form.errorOf('displayName')}
      />
      <div>
        <Button
          type="submit"
          look="ink"
          busy={form.busy}
          disabled={name.trim() === displayName && !form.busy}
        >
          {form.busy ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
