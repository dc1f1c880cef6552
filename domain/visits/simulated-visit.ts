import * as z from 'zod/mini'
import { parseAddress } from './reading/addresses.ts'
import {
  isCountryCode,
  parseInstant,
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSources,
  ruleSystems,
} from './rule-values.ts'
import type { RuleFacts } from './reading/visit-reading.ts'

const keysOf = <Name extends string>(labels: Readonly<Record<Name, string>>) =>
  Object.keys(labels) as [Name, ...Name[]]

const text = (maxLength: number) =>
  z.string().check(z.maxLength(maxLength, `At most ${maxLength} characters are possible`))

const choice = <Name extends string>(labels: Readonly<Record<Name, string>>, ...others: Name[]) =>
  z.enum([...keysOf(labels), ...others], {
    error: `Choose from ${[...keysOf(labels), ...others].join(', ')}`,
  })

const isKnown = { error: 'This is true or false' }

/**
 * A visit as a person or a program describes it, for the simulator and for expectations. Each fact that is missing is not known, except:
 * `at` is now, `source` is the link, `query` is empty, and the visitor has not given the password and is no previewer.
 */
export const simulatedVisit = z.strictObject(
  {
    country: z.optional(
      z
        .pipe(
          z.string(),
          z.transform((code: string) => code.toUpperCase()),
        )
        .check(z.refine(isCountryCode, 'This is not a country code such as DE or US')),
    ),
    region: z.optional(text(200)),
    city: z.optional(text(200)),
    /** As the header Accept-Language has them: `de-AT,de;q=0.9`. */
    languages: z.optional(text(1_000)),
    /** Names system, device, browser and app, where they are not given themselves. */
    user_agent: z.optional(text(1_000)),
    system: z.optional(choice({ ...ruleSystems, other: '' })),
    device: z.optional(choice({ ...ruleDevices, other: '' })),
    browser: z.optional(choice({ ...ruleBrowsers, other: '' })),
    in_app: z.optional(choice({ ...ruleApps, other: '', none: '' })),
    address: z.optional(
      z
        .string()
        .check(
          z.refine(
            (address) => parseAddress(address) !== undefined,
            'This is not an address such as 192.0.2.1',
          ),
        ),
    ),
    /** An instant with its offset. */
    at: z.optional(
      z
        .string()
        .check(
          z.refine(
            (at) => parseInstant(at) !== undefined,
            'This is not a date and time with its offset, such as 2026-12-24T18:00:00+01:00',
          ),
        ),
    ),
    first_visit: z.optional(z.boolean(isKnown)),
    source: z.optional(choice(ruleSources)),
    /** Without `?`. */
    query: z.optional(text(2_048)),
    /** The number of the visitor for every `share` and split: 0 is among the first percent, 99 among the last. */
    share: z.optional(
      z
        .number()
        .check(
          z.refine(
            (share) => share >= 0 && share < 100,
            'A share is a number from 0 to less than 100',
          ),
        ),
    ),
    password: z.optional(z.boolean(isKnown)),
    previewer: z.optional(z.boolean(isKnown)),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `A visit has no ${issue.keys.join(', ')}`
        : 'A visit is an object',
  },
)
export type SimulatedVisit = z.infer<typeof simulatedVisit>

/** Facts that a User-Agent names. */
export type NamedSoftware = Pick<RuleFacts, 'system' | 'device' | 'browser' | 'inApp'>

/** The facts of a simulated visit. @param named by its `user_agent`, where it has one */
export function factsOfSimulatedVisit(visit: SimulatedVisit, named?: NamedSoftware): RuleFacts {
  const { share } = visit
  return {
    country: visit.country,
    region: visit.region,
    city: visit.city,
    languages: visit.languages,
    system: visit.system ?? named?.system,
    device: visit.device ?? named?.device,
    browser: visit.browser ?? named?.browser,
    inApp: visit.in_app ?? named?.inApp,
    address: visit.address,
    firstVisit: visit.first_visit,
    source: visit.source ?? 'link',
    query: visit.query ?? '',
    shareOf: () => share,
  }
}
