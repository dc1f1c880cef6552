import { useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { pathInSpace, routes } from '#domain/routes.ts'
import { spaceForm, spaceLimits, spaceSlugProblem } from '#domain/spaces/space-form.ts'
import { roleNames, spaceNotices, spaceTexts } from '#domain/texts/space-texts.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { Space } from '#web/session/space/account-store.ts'
import { updateSpace } from '#web/session/space/space-membership.ts'
import { useKeptRight } from '#web/session/space/rights.ts'
import { leaveForPage } from '#web/space.ts'
import { refusedSpace } from '#web/spaces/refused-space.ts'
import { AddressField } from '#web/spaces/address-field.tsx'
import { spacesQuery } from '#web/spaces/spaces-query.ts'
import { Button } from '#web/ui/button.tsx'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { ArchiveSection } from '../archive/archive-section.tsx'
import { ExportSection } from '../account-tab.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { DeleteSpaceDialog } from './delete-space-dialog.tsx'
import { refusalWords, spaceCalls, type SpaceTabProps } from './space-queries.ts'

/** Name and address of the space, its data, and the ways out of it. */
export function SpaceProfileTab({ userId, personId, space }: SpaceTabProps) {
  const isOwner = useKeptRight('owner')
  return (
    <>
      <SettingsSection
        title="Name and address"
        intro={isOwner ? 'Members see both.' : `Your role is ${roleNames[space.role]}.`}
      >
        {isOwner ? <SpaceForm personId={personId} space={space} /> : <SpaceFacts space={space} />}
      </SettingsSection>
      {isOwner ? (
        <>
          <ExportSection intro="All data of the space as one JSON file." />
          <ArchiveSection userId={userId} />
        </>
      ) : null}
      <LeaveSection space={space} />
      {isOwner ? <DeleteSection space={space} /> : null}
    </>
  )
}

function SpaceFacts({ space }: { space: Space }) {
  return (
    <dl className="grid gap-1">
      <dt className="text-sm text-ink-faint">Name</dt>
      <dd className="mb-2 font-medium">{space.name}</dd>
      <dt className="text-sm text-ink-faint">Address</dt>
      <dd className="font-mono text-sm wrap-anywhere">{pathInSpace(space.slug, '/')}</dd>
    </dl>
  )
}

function SpaceForm({ personId, space }: { personId: string; space: Space }) {
  const client = useQueryClient()
  const form = useFormFields({
    schema: spaceForm,
    initial: { name: space.name, slug: space.slug },
    issueNotice: null,
    submit: async ({ name, slug }): Promise<FormRefusal | void> => {
      try {
        await spaceCalls.update(name, slug)
      } catch (error) {
        return refusedSpace(error) ?? { notice: spaceNotices.notSaved }
      }
      if (slug !== space.slug) return leaveForPage(pathInSpace(slug, routes.settings.path))
      updateSpace({ name })
      notifySuccess(spaceNotices.saved)
      await client.invalidateQueries({ queryKey: spacesQuery(personId).queryKey })
    },
  })
  const { name, slug } = form.values
  const isSame = name.trim() === space.name && slug === space.slug
  const { error: slugError, ...slugField } = form.field('slug')
  return (
    <form {...form.props} className="grid gap-5">
      <Field label="Name" maxLength={spaceLimits.name} autoComplete="off" {...form.text('name')} />
      <AddressField
        slug={slugField.value}
        onChange={slugField.onChange}
        error={slugError ?? (slug === '' ? undefined : spaceSlugProblem(slug))}
        hint="Members’ bookmarks of the old address stop working."
      />
      <div>
        <Button type="submit" look="ink" busy={form.busy} disabled={isSame && !form.busy}>
          {form.busy ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}

function LeaveSection({ space }: { space: Space }) {
  const leave = useConfirmed<Space>({
    title: 'Leave this space?',
    describe: ({ name }) => `You lose access to ${name}. Its links stay.`,
    action: 'Leave',
    busyAction: 'Leaving...',
    run: async () => {
      await spaceCalls.leave()
      leaveForPage(routes.dashboard.path)
      return new Promise(() => {})
    },
    done: () => spaceNotices.saved,
    failed: (error) => ({ ...spaceNotices.notLeft, ...refusalWords(error) }),
    queryKey: [],
  })
  return (
    <SettingsSection title="Leave the space" intro="Your keys and apps for it stop working.">
      <Button onClick={() => leave.ask(space)}>
        <LogOut size={17} aria-hidden />
        Leave Space
      </Button>
      {leave.dialog}
    </SettingsSection>
  )
}

function DeleteSection({ space }: { space: Space }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <SettingsSection title="Delete the space" intro={spaceTexts.deletion}>
      <Button look="danger" onClick={() => setDeleting(true)}>
        Delete Space
      </Button>
      <DeleteSpaceDialog space={space} open={isDeleting} onClose={() => setDeleting(false)} />
    </SettingsSection>
  )
}
