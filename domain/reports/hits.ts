/** Scopes of reports: an account, one thing in it, or its links that have a tag now. */
export const reportScopes = ['account', 'link', 'bio', 'bio_link', 'tag'] as const
export type ReportScopeWord = (typeof reportScopes)[number]

/** Why a hit counts or not, exactly one each. */
export const reportVerdicts = [
  'counted',
  'repeat',
  'own',
  'head',
  'prefetch',
  'previewer',
  'crawler',
  'monitor',
  'program',
  'password',
  'preview_page',
  'not_yet',
  'ended',
  'imported',
] as const
export type HitVerdict = (typeof reportVerdicts)[number]

/** Columns of a hit, one text each; CSV files have these columns in this order. */
export const hitFacts = [
  'source',
  'referrer',
  'page',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'system',
  'language',
  'rule',
  'variant',
  'placement',
] as const
export type HitFact = (typeof hitFacts)[number]

/** The campaign of a hit, as its address named it; CSV files have these columns last. */
export const utmFields = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const

/** Dimensions that split and narrow reports. */
export const clickDimensions = ['target', ...hitFacts, ...utmFields, 'verdict', 'bot'] as const
export type ClickDimension = (typeof clickDimensions)[number]

/** Groups of targets, which split and narrow reports too: present tags, and domains ('' is the own host). */
export const reportGroups = ['tag', 'domain'] as const
export type ReportGroup = (typeof reportGroups)[number]

/** Filters and lists of the screens. */
export const listDimensions = [...clickDimensions, 'domain'] as const
export type ListDimension = (typeof listDimensions)[number]

/** Other ways to split a report: by verdict, and by periods. */
export const reportPeriods = ['total', 'hour', 'day', 'month', 'weekhour'] as const
export type ReportBy = ClickDimension | (typeof reportPeriods)[number]

/** New sources (referrers and utm fields together) that one account may have in a day: a stranger can make up as many as they send hits. */
export const maxNewSources = 2_000
