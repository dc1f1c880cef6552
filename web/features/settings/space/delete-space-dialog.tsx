import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { deleteSpaceForm } from '#domain/spaces/space-form.ts'
import { spaceNotices, spaceTexts } from '#domain/texts/space-texts.ts'
import { type FormRefusal, useForm } from '#web/forms/use-form.ts'
import type { Space } from '#web/session/space/account-store.ts'
import { needsSignInAgain } from '#web/session/sign-in-again.ts'
import { SignInAgainDialog } from '#web/session/sign-in-again-dialog.tsx'
import { leaveForPage } from '#web/space.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { refusalWords, spaceCalls } from './space-queries.ts'

interface DeleteSpaceDialogProps {
  space: Space
  open: boolean
  onClose: () => void
}

/** Deleting a space: its name is typed to be sure, and the sign-in has to be recent. */
export function DeleteSpaceDialog({ space, open, onClose }: DeleteSpaceDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Delete ${space.name}?`}
      description={spaceTexts.deletion}
    >
      <DeleteForm space={space} onCancel={onClose} />
    </Dialog>
  )
}

function DeleteForm({ space, onCancel }: { space: Space; onCancel: () => void }) {
  const [typed, setTyped] = useState('')
  const [mustSignIn, setMustSignIn] = useState(false)
  const form = useForm({
    schema: deleteSpaceForm(space.name),
    values: { confirmation: typed },
    issueNotice: null,
    submit: async (): Promise<FormRefusal | void> => {
      try {
        await spaceCalls.erase(space.slug)
      } catch (error) {
        if (needsSignInAgain(error)) return setMustSignIn(true)
        const words = error instanceof Error ? refusalWords(error) : {}
        return { notice: { ...spaceNotices.notDeleted, ...words } }
      }
      leaveForPage(routes.dashboard.path)
      return new Promise(() => {})
    },
  })
  return (
    <>
      <form {...form.props} className="grid gap-5">
        <Field
          label="Space name"
          name="confirmation"
          kind="verbatim"
          data-first-focus
          hint={<span className="wrap-anywhere">Type {space.name} to confirm.</span>}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={form.errorOf('confirmation')}
        />
        <FormActions
          action="Delete Space"
          busyAction="Deleting..."
          busy={form.busy}
          look="danger"
          onCancel={onCancel}
        />
      </form>
      <SignInAgainDialog
        open={mustSignIn}
        onSignedIn={() => {
          setMustSignIn(false)
          form.submit()
        }}
        onClose={() => setMustSignIn(false)}
      />
    </>
  )
}
