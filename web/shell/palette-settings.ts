import { Settings } from 'lucide-react'
import { routes, settingsTabs, spaceSettingsTabs, type SettingsTab } from '#domain/routes.ts'
import {
  settingsCards,
  settingsTabNames,
  spaceTabNames,
} from '#web/features/settings/settings-parts.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import type { PaletteActions, PaletteItem } from './palette-items.ts'

/** Other words for the contents of a tab. */
const otherWords: Record<SettingsTab, string> = {
  profile: 'name time zone timezone milestones weekly summary notifications bookmarklet',
  security: 'login sign-in 2fa mfa totp passkey authenticator devices sign out',
  domains: 'dns custom host branded cname certificate tls https',
  apps: 'oauth mcp agents permissions revoke',
  'api-keys': 'token developer rest curl',
  webhooks: 'events endpoint zapier mailchimp brevo email provider newsletter',
  account: 'transfer move backup download zip json csv gdpr close remove',
}

/** The tabs of the settings, and the cards in them. */
export function settingsItems(
  { goTo }: Pick<PaletteActions, 'goTo'>,
  isOwner: boolean,
): PaletteItem[] {
  if (spaceSlug !== undefined) return spaceItems(goTo, isOwner)
  return settingsTabs.flatMap((tab) => {
    const tabName = settingsTabNames[tab]
    const run = () => goTo(routes.settings.href({ tab }))
    const cards = Object.entries<string>(settingsCards[tab])
      .filter(([key]) => key !== 'password' || site.hasPasswords)
      .filter(([, name]) => name.toLowerCase() !== tabName.toLowerCase())
      .map(([key, name]) => ({
        id: `settings:${tab}:${key}`,
        name,
        note: `Settings, ${tabName}`,
        Icon: Settings,
        run,
      }))
    const words = otherWords[tab]
    return [
      { id: `settings:${tab}`, name: tabName, note: 'Settings', words, Icon: Settings, run },
      ...cards,
    ]
  })
}

/** The tabs of the settings of a space. */
function spaceItems(goTo: PaletteActions['goTo'], isOwner: boolean): PaletteItem[] {
  return spaceSettingsTabs
    .filter((tab) => isOwner || ['profile', 'people', 'domains'].includes(tab))
    .filter((tab) => site.hasPlans || tab !== 'plan')
    .map((tab) => ({
      id: `settings:${tab}`,
      name: spaceTabNames[tab],
      note: 'Space settings',
      ...(tab === 'people' && { words: 'members invite invitation role team' }),
      ...(tab === 'domains' && { words: otherWords.domains }),
      Icon: Settings,
      run: () => goTo(routes.settings.href({ tab })),
    }))
}
