import { useState } from 'react'
import { slugOf } from '#domain/bio/bio-form.ts'
import { pathInSpace, routes } from '#domain/routes.ts'
import { spaceForm, spaceLimits, spaceSlugProblem } from '#domain/spaces/space-form.ts'
import { spaceNotices } from '#domain/texts/space-texts.ts'
import { answerOf, personTables } from '#web/api/client.ts'
import { type FormRefusal, useForm } from '#web/forms/use-form.ts'
import { site } from '#web/site.ts'
import { leaveForPage } from '#web/space.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { AddressField } from './address-field.tsx'
import { refusedSpace } from './refused-space.ts'

interface CreateSpaceDialogProps {
  open: boolean
  onClose: () => void
}

export function CreateSpaceDialog({ open, onClose }: CreateSpaceDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Create a space"
      description="A space is an account that a team shares. Its links, pages and reports belong to all members."
    >
      <CreateForm onCancel={onClose} />
    </Dialog>
  )
}

function CreateForm({ onCancel }: { onCancel: () => void }) {
  const [name, setName] = useState('')
  const [typedSlug, setTypedSlug] = useState<string>()
  const [planProblem, setPlanProblem] = useState<string>()
  const suggested = slugOf(name).replaceAll('_', '-').replace(/-+/g, '-')
  const slug = typedSlug ?? suggested
  const form = useForm({
    schema: spaceForm,
    values: { name, slug },
    issueNotice: null,
    submit: async (wanted): Promise<FormRefusal | void> => {
      setPlanProblem(undefined)
      try {
        await answerOf(personTables.rpc('create_space', { _slug: wanted.slug, _name: wanted.name }))
      } catch (error) {
        const refusal = refusedSpace(error)
        if (refusal === undefined) return { notice: spaceNotices.notCreated }
        if (refusal.field !== 'plan') return refusal
        return setPlanProblem(refusal.text)
      }
      leaveForPage(pathInSpace(wanted.slug, routes.dashboard.path))
      // The button stays busy until the next page is there.
      return new Promise(() => {})
    },
  })
  return (
    <form {...form.props} className="grid gap-5">
      <Field
        data-first-focus
        label="Name"
        name="name"
        autoComplete="organization"
        maxLength={spaceLimits.name}
        placeholder="Harbour Books"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={form.errorOf('name')}
      />
      <AddressField
        slug={slug}
        onChange={setTypedSlug}
        error={form.errorOf('slug') ?? (slug === '' ? undefined : spaceSlugProblem(slug))}
      />
      {planProblem === undefined ? null : (
        <p role="alert" className="rounded-xl bg-accent-wash px-4 py-3 text-sm">
          {planProblem}{' '}
          {site.hasPlans ? (
            <a
              href={routes.upgrade.path}
              className="font-medium text-accent-text underline underline-offset-4"
            >
              See the plans
            </a>
          ) : null}
        </p>
      )}
      <FormActions
        action="Create Space"
        busyAction="Creating..."
        busy={form.busy}
        onCancel={onCancel}
      />
    </form>
  )
}
