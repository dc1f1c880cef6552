import { NewPasswordForm } from '#web/session/new-password-form.tsx'
import { EventList } from './event-list.tsx'
import { FactorSection } from './factor-section.tsx'
import { IdentitySection } from './identity-section.tsx'
import { SettingsSection, type TabProps } from './settings-section.tsx'
import { SessionSection } from './session-section.tsx'

export function SecurityTab({ userId, email }: TabProps) {
  return (
    <>
      <SettingsSection
        title="Password"
        intro="A new password signs you out everywhere else. Here you stay signed in."
      >
        <NewPasswordForm email={email} onDone={() => {}} />
      </SettingsSection>
      <FactorSection userId={userId} />
      <IdentitySection userId={userId} />
      <SessionSection userId={userId} />
      <EventList userId={userId} />
    </>
  )
}
