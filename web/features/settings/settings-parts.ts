import type { SettingsTab, SpaceSettingsTab } from '#domain/routes.ts'

export const settingsTabNames: Record<SettingsTab, string> = {
  profile: 'Profile',
  security: 'Security',
  domains: 'Domains',
  apps: 'Connected Apps',
  'api-keys': 'API Keys',
  webhooks: 'Webhooks',
  account: 'Account',
}

export const spaceTabNames: Record<SpaceSettingsTab, string> = {
  profile: 'Profile',
  people: 'People',
  domains: 'Domains',
  'api-keys': 'API keys',
  webhooks: 'Webhooks',
  plan: 'Plan',
}

/** The titles of the cards of each tab, for the cards and for the command palette. */
export const settingsCards = {
  profile: {
    name: 'Display name',
    email: 'Email',
    clicks: 'Clicks',
    bookmark: 'Shorten from anywhere',
  },
  security: {
    password: 'Password',
    factors: 'Second factor',
    identities: 'Linked sign-ins',
    sessions: 'Active sessions',
    events: 'Recent activity',
  },
  domains: { domains: 'Domains' },
  apps: { apps: 'Connected apps', changes: 'What apps have done' },
  'api-keys': { keys: 'API keys' },
  webhooks: { webhooks: 'Webhooks' },
  account: { export: 'Export your data', archive: 'Archive', deletion: 'Delete your account' },
} as const satisfies Record<SettingsTab, Record<string, string>>
