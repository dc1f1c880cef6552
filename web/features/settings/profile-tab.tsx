import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { accountQuery, profileQuery } from '#web/session/profile-query.ts'
import { bookmarkletOf } from '#web/app/shared-page.ts'
import { site } from '#web/site.ts'
import { ClickSettings, clickSettingsQuery } from './click-settings.tsx'
import { EmailForm } from './email-form.tsx'
import { NameForm } from './name-form.tsx'
import { settingsCards } from './settings-parts.ts'
import { SettingsSection, type TabProps } from './settings-section.tsx'
import { TabParts } from './settings-skeleton.tsx'

export function ProfileTab({ userId, email }: TabProps) {
  const profile = useQuery(profileQuery(userId))
  const account = useQuery(accountQuery(userId))
  const clicks = useQuery(clickSettingsQuery(userId))
  return (
    <TabParts tab="profile" queries={[profile, account, clicks]}>
      <SettingsSection title={settingsCards.profile.name} intro="Shown in the app and in emails.">
        <QueryPanel query={profile} failed={settingsNotices.profileFailed}>
          {({ displayName }) => <NameForm userId={userId} displayName={displayName} />}
        </QueryPanel>
      </SettingsSection>
      <SettingsSection
        title={settingsCards.profile.email}
        intro={site.hasPasswords ? 'For sign-in and notifications.' : 'For notifications.'}
      >
        {site.hasPasswords ? (
          <EmailForm userId={userId} email={email} pending={account.data?.new_email} />
        ) : (
          <p className="wrap-anywhere">{email}</p>
        )}
      </SettingsSection>
      <ClickSettings userId={userId} />
      <BookmarkletSection />
    </TabParts>
  )
}

/** A bookmark that shortens the page that is being read. */
function BookmarkletSection() {
  const link = useRef<HTMLAnchorElement>(null)
  // React refuses addresses that are scripts; this one is for the bar of bookmarks.
  useEffect(() => link.current?.setAttribute('href', bookmarkletOf(site.publicUrl)), [])
  return (
    <SettingsSection
      title={settingsCards.profile.bookmark}
      intro="Drag this to your bookmarks bar. The bookmark shortens the page that you read. On phones, install Hoplet and share pages with it."
    >
      {/* oxlint-disable-next-line jsx-a11y/anchor-is-valid, jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- its address comes with the effect */}
      <a
        ref={link}
        draggable
        onClick={(event) => event.preventDefault()}
        className="inline-flex min-h-11 items-center rounded-full border border-line bg-surface px-4 font-medium"
      >
        Shorten this page
      </a>
    </SettingsSection>
  )
}
