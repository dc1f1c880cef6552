import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { profileForm } from '#domain/forms.ts'
import { firstIssue, focusField } from '#web/session/first-issue.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { profileQuery, saveDisplayName } from './profile-query.ts'

export function NameForm({ userId, displayName }: { userId: string; displayName: string }) {
  const client = useQueryClient()
  const [name, setName] = useState(displayName)
  const [problem, setProblem] = useState<string>()
  const save = useMutation({
    mutationFn: (wanted: string) => saveDisplayName(userId, wanted),
    onSuccess: async (_, wanted) => {
      setName(wanted)
      notifySuccess(settingsNotices.nameSaved)
      await client.invalidateQueries(profileQuery(userId))
    },
    onError: () => notifyError(settingsNotices.nameFailed),
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (save.isPending) return
    const form = profileForm.safeParse({ displayName: name })
    if (form.success) {
      setProblem(undefined)
      return save.mutate(form.data.displayName)
    }
    const { notice } = firstIssue(form.error)
    setProblem(notice.description)
    focusField(event.currentTarget, 'displayName')
    notifyError(notice)
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <Field
        label="Display name"
        note="optional"
        name="displayName"
        autoComplete="name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem}
      />
      <div>
        <Button type="submit" look="accent" busy={save.isPending}>
          {save.isPending ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
