import { useQuery } from '@tanstack/react-query'
import { settingsNotices } from '#domain/account-texts.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { BookmarkletSection } from './bookmarklet-section.tsx'
import { ClickSettings, clickSettingsQuery } from './click-settings.tsx'
import { EmailForm } from './email-form.tsx'
import { NameForm } from './name-form.tsx'
import { accountQuery, profileQuery } from '#web/session/profile-query.ts'
import { SettingsSection, type TabProps } from './settings-section.tsx'
import { TabParts } from './settings-skeleton.tsx'

export function ProfileTab({ userId, email }: TabProps) {
  const profile = useQuery(profileQuery(userId))
  const account = useQuery(accountQuery(userId))
  const clicks = useQuery(clickSettingsQuery(userId))
  return (
    <TabParts tab="profile" queries={[profile, account, clicks]}>
      <SettingsSection title="Display name" intro="Shown in the app and in emails.">
        <QueryPanel query={profile} failed={settingsNotices.profileFailed}>
          {({ displayName }) => <NameForm userId={userId} displayName={displayName} />}
        </QueryPanel>
      </SettingsSection>
      <SettingsSection title="Email" intro="For sign-in and notifications.">
        <EmailForm userId={userId} email={email} pending={account.data?.new_email} />
      </SettingsSection>
      <ClickSettings userId={userId} />
      <BookmarkletSection />
    </TabParts>
  )
}
