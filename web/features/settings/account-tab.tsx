import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { deleteAccountWarning, settingsNotices } from '#domain/texts/account-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { callAuthDoor } from '#web/session/auth-door.ts'
import { ArchiveSection } from './archive/archive-section.tsx'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { settingsCards } from './settings-parts.ts'
import { SettingsSection, type TabProps } from './settings-section.tsx'
import { site } from '#web/site.ts'

/** One's data: to take along, and to delete. */
export function AccountTab({ userId, email }: TabProps) {
  const [deleting, setDeleting] = useState(false)
  return (
    <>
      <ExportSection
        intro={`All your data as one JSON file: account, links, bio page, popups, ${site.hasPlans ? 'commissions, ' : ''}sessions and activity.`}
      />
      <ArchiveSection userId={userId} />
      <SettingsSection title={settingsCards.account.deletion} intro={deleteAccountWarning}>
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete Account
        </Button>
        <DeleteAccountDialog
          open={deleting}
          userId={userId}
          email={email}
          onClose={() => setDeleting(false)}
        />
      </SettingsSection>
    </>
  )
}

/** The data of the account as one file. */
export function ExportSection({ intro }: { intro: string }) {
  const download = useSingleMutation({
    mutationFn: async () => {
      const response = await callAuthDoor('/user/export')
      saveBlob(await response.blob(), 'hoplet-export.json')
    },
    onSuccess: () => notifySuccess(settingsNotices.exported),
    onError: (error) =>
      notifyError({ ...settingsNotices.exportFailed, description: error.message }),
  })
  return (
    <SettingsSection title={settingsCards.account.export} intro={intro}>
      <Button busy={download.isPending} onClick={() => download.mutate()}>
        <Download size={17} aria-hidden />
        {download.isPending ? 'Please wait...' : 'Download JSON'}
      </Button>
    </SettingsSection>
  )
}
