import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'

/** A simulated visit while it is described; an empty text is a fact that is not known. */
export interface VisitDraft {
  readonly system: NonNullable<SimulatedVisit['system']> | ''
  readonly device: NonNullable<SimulatedVisit['device']> | ''
  readonly browser: NonNullable<SimulatedVisit['browser']> | ''
  readonly in_app: NonNullable<SimulatedVisit['in_app']> | ''
  readonly country: string
  readonly city: string
  readonly languages: string
  /** A local time. */
  readonly at: string
  readonly source: NonNullable<SimulatedVisit['source']>
  readonly query: string
  readonly firstVisit: 'yes' | 'no' | ''
  readonly password: boolean
}

type Software = Pick<VisitDraft, 'system' | 'device' | 'browser' | 'in_app'>

export const visitPresets: readonly { name: string; software: Software }[] = [
  {
    name: 'Desktop',
    software: { system: 'windows', device: 'desktop', browser: 'chrome', in_app: 'none' },
  },
  {
    name: 'iPhone',
    software: { system: 'ios', device: 'mobile', browser: 'safari', in_app: 'none' },
  },
  {
    name: 'Android',
    software: { system: 'android', device: 'mobile', browser: 'chrome', in_app: 'none' },
  },
  {
    name: 'iPhone in Instagram',
    software: { system: 'ios', device: 'mobile', browser: 'other', in_app: 'instagram' },
  },
]

export const unknownVisit: VisitDraft = {
  system: '',
  device: '',
  browser: '',
  in_app: '',
  country: '',
  city: '',
  languages: '',
  at: '',
  source: 'link',
  query: '',
  firstVisit: '',
  password: false,
}

/** The visit as `simulate_visit` takes it, without the facts that are not known. */
export function visitOf(draft: VisitDraft): SimulatedVisit {
  const { system, device, browser, in_app, country, source, firstVisit, password } = draft
  const [city, languages] = [draft.city.trim(), draft.languages.trim()]
  const query = draft.query.trim().replace(/^\?/, '')
  return {
    ...(system !== '' && { system }),
    ...(device !== '' && { device }),
    ...(browser !== '' && { browser }),
    ...(in_app !== '' && { in_app }),
    ...(country !== '' && { country }),
    ...(city !== '' && { city }),
    ...(languages !== '' && { languages }),
    ...(draft.at !== '' && { at: new Date(draft.at).toISOString() }),
    ...(source !== 'link' && { source }),
    ...(query !== '' && { query }),
    ...(firstVisit !== '' && { first_visit: firstVisit === 'yes' }),
    ...(password && { password }),
  }
}
