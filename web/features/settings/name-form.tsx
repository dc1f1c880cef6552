import { useQueryClient } from '@tanstack/react-query'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { profileForm } from '#domain/forms/forms.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { profileQuery, saveDisplayName } from '#web/session/profile-query.ts'

export function NameForm({ userId, displayName }: { userId: string; displayName: string }) {
  const client = useQueryClient()
  const form = useFormFields({
    schema: profileForm,
    initial: { displayName },
    submit: async ({ displayName: wanted }) => {
      try {
        await saveDisplayName(userId, wanted)
      } catch {
        return { notice: settingsNotices.nameFailed }
      }
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
        autoComplete="name"
        {...form.text('displayName')}
      />
      <div>
        <Button
          type="submit"
          look="ink"
          busy={form.busy}
          disabled={form.values.displayName.trim() === displayName && !form.busy}
        >
          {form.busy ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
