/** Where an account can move in from. */
interface ImportSource {
  /** On the screen. */
  name: string
  /** Kind of rows: links, or entries of a bio page. */
  yields: 'links' | 'bio'
  /** Words for where to get a file of ours to read; undefined: there is none. */
  file?: string
  /** Words for where to find the token of its API; undefined: it has no API that we read. */
  token?: string
  /** The service runs on servers of many people, so that its address is asked for. The value is an example. */
  server?: string
  /** Words for pasting the source of a page. */
  page?: string
}

/** Sources of an import in the order of the screen. The single list: forms, doors, readers and documents derive from it. */
export const importSources = {
  bitly: {
    name: 'Bitly',
    yields: 'links',
    file: 'Links, Export',
    token: 'Settings, API, Generate token',
  },
  dub: {
    name: 'Dub',
    yields: 'links',
    file: 'Links, the menu with three dots, Export as CSV',
    token: 'Settings, API Keys, with the right to read links',
  },
  kutt: {
    name: 'Kutt',
    yields: 'links',
    file: 'an answer of its API as JSON',
    token: 'Settings, API, Generate key',
    server: 'https://kutt.example.com',
  },
  shlink: {
    name: 'Shlink',
    yields: 'links',
    file: 'the web client, Short URLs, Export',
    token: 'the command shlink api-key:generate on its server',
    server: 'https://shlink.example.com',
  },
  yourls: {
    name: 'YOURLS',
    yields: 'links',
    file: 'a plugin that exports CSV',
    token: 'Tools, Secure passwordless API call: the signature token',
    server: 'https://yourls.example.com',
  },
  rebrandly: {
    name: 'Rebrandly',
    yields: 'links',
    file: 'an answer of its API as JSON',
    token: 'Account, API, New API key; a workspace id may follow after a blank',
  },
  'short-io': {
    name: 'Short.io',
    yields: 'links',
    file: 'an answer of its API as JSON',
    token: 'Integrations & API, Create API key: a private key',
  },
  sink: {
    name: 'Sink',
    yields: 'links',
    file: 'Links, Export',
  },
  'tiny-cc': {
    name: 'tiny.cc',
    yields: 'links',
    file: 'the list of links, Export',
  },
  linkstack: {
    name: 'LinkStack',
    yields: 'bio',
    file: 'Account settings, Export user data',
  },
  linktree: {
    name: 'Linktree',
    yields: 'bio',
    page: 'Open your page in a browser, show its source, and paste all of it',
  },
  archive: {
    name: 'Hoplet archive',
    yields: 'links',
    file: 'Settings, Account, Make archive',
  },
  hoplet: {
    name: 'Hoplet',
    yields: 'links',
    file: 'Links, Export',
  },
} as const satisfies Readonly<Record<string, ImportSource>>

export type ImportSourceId = keyof typeof importSources

export const importSourceIds = Object.keys(importSources) as ImportSourceId[]

/** The facts of a source. */
export function importSource(id: ImportSourceId): ImportSource {
  return importSources[id]
}

/** Sources with an API that is read with a token. */
export type ApiSourceId = {
  [Id in ImportSourceId]: (typeof importSources)[Id] extends { token: string } ? Id : never
}[ImportSourceId]

export const apiSourceIds = importSourceIds.filter(
  (id): id is ApiSourceId => importSource(id).token !== undefined,
)

/** Whether a text names a source with an API. */
export function isApiSource(id: string): id is ApiSourceId {
  return apiSourceIds.some((known) => known === id)
}
