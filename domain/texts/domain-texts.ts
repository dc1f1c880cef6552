import type { DomainProblem } from '../domains/domain-problems.ts'

/** Sentences of the screen of domains. */
export const domainTexts = {
  intro: 'Your links under your own name.',
  empty: 'Put your links on a host of yours: go.example.com.',
  emptyForMembers: 'An owner of the space can add one.',
  records: 'Add these records at your DNS provider. Most arrive within minutes, some take a day.',
  certificate: 'Usually within a few minutes; until then browsers warn.',
  grace: 'The links keep working for 30 days meanwhile.',
  hostHint: 'A host of yours, best a subdomain.',
  targets: 'Where visitors go who open no link.',
  removal: 'You get the links back with the domain.',
} as const

/** Help for a domain that is not verified or has no certificate. */
export const domainProblemSentences: Readonly<Record<DomainProblem, string>> = {
  blocked: 'The operator of this server blocked this host.',
  'dns-slow': 'Its name servers did not answer. We ask again.',
  'txt-missing': 'The TXT record is not there yet.',
  'cname-loop': 'Its CNAME records lead to each other.',
  proxied: 'Cloudflare answers for it. Choose “DNS only” there.',
  'direction-missing': 'The host does not lead here yet. Remove other addresses of it.',
  taken: 'Another account serves this host. Remove its TXT record.',
  caa: 'CAA records forbid the certificate. Allow letsencrypt.org there.',
  unreachable: 'The host does not answer over https yet.',
  'other-server': 'Another server answers at this host.',
}

export const domainNotices = {
  listFailed: { title: 'Failed to load your domains' },
  added: { title: 'Domain added', description: 'Now create its DNS records' },
  notAdded: { title: 'The domain was not added' },
  saved: { title: 'Saved', description: 'The domain was updated' },
  notSaved: { title: 'The domain was not changed' },
  verified: { title: 'Domain verified', description: 'Your links can use it now' },
  notChecked: { title: 'The domain was not checked' },
  removed: { title: 'Domain removed' },
  notRemoved: { title: 'The domain was not removed' },
  copied: { title: 'Copied!', description: 'Record copied to clipboard' },
  allCopied: { title: 'Copied!', description: 'Records copied to clipboard' },
} as const
