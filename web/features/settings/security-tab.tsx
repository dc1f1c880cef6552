import { useQuery } from '@tanstack/react-query'
import { auth } from '#web/api/auth-client.ts'
import { site } from '#web/site.ts'
import { NewPasswordForm } from '#web/session/new-password-form.tsx'
import { accountQuery } from '#web/session/profile-query.ts'
import { secondFactorsQuery } from '#web/session/second-factor.ts'
import { signInOptionsQuery } from '#web/session/sign-in-options.ts'
import { EventList } from './event-list.tsx'
import { FactorSection } from './factor-section.tsx'
import { IdentitySection } from './identity-section.tsx'
import { SessionSection } from './session-section.tsx'
import { eventsQuery, sessionsQuery } from './sessions-query.ts'
import { settingsCards } from './settings-parts.ts'
import { SettingsSection, type TabProps } from './settings-section.tsx'
import { TabParts } from './settings-skeleton.tsx'

export function SecurityTab({ userId, email }: TabProps) {
  const queries = [
    useQuery(secondFactorsQuery(auth, userId)),
    useQuery(signInOptionsQuery),
    useQuery(accountQuery(userId)),
    useQuery(sessionsQuery(userId)),
    useQuery(eventsQuery(userId)),
  ]
  return (
    <TabParts tab="security" queries={queries}>
      {site.hasPasswords ? (
        <SettingsSection
          title={settingsCards.security.password}
          intro="A new password signs you out everywhere else. Here you stay signed in."
        >
          <NewPasswordForm email={email} onDone={() => {}} />
        </SettingsSection>
      ) : null}
      <FactorSection userId={userId} />
      <IdentitySection userId={userId} />
      <SessionSection userId={userId} />
      <EventList userId={userId} />
    </TabParts>
  )
}
