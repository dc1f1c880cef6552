import * as z from 'zod'
import { ruleFacts } from '#domain/visits/condition-values.ts'
import { ruleBounds } from '#domain/visits/rules.ts'
import { simulatedVisit } from '#domain/visits/simulated-visit.ts'
import { ToolError } from '../tables.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { codeInput, expectationInput, findLink } from './links.ts'
import { plural } from '../../primitives/plural.ts'

const rule = z
  .looseObject({})
  .describe(
    `{"when": [conditions], and one of "to": address, "split": [{"to", "weight"}], "app": {"ios", "android", "fallback"}}. A condition is {"fact", "is": [values]} or {"fact", "is_not": [values]}; all must hold, and any of the values. Facts: ${ruleFacts.join(', ')}. weekday and hours also have "zone" (Europe/Berlin), query has "name" and the values present, empty or =value. The last rule may be {"else": true, "split": […]}, where the first variant has no "to": it is the link’s own destination. Keep the ids that are there.`,
  )

const { rules: maxRules, allConditions, allValues, zones } = ruleBounds
const rules = z
  .array(rule)
  .max(maxRules)
  .describe(
    `In total at most ${allConditions} conditions, ${allValues} values and ${zones} time zones.`,
  )

const shown = z.object({
  short_code: z.string(),
  version: z.number().describe('For save_link_rules. 0: the link never had rules.'),
  rules: z.array(z.looseObject({ id: z.string() })),
})

async function readRules(context: ToolContext, code: string) {
  const { id } = await findLink(context, code)
  const found = await context.tables.ask<Omit<z.output<typeof shown>, 'short_code'> | null>(
    'rpc/link_rules',
    {
      method: 'POST',
      body: { _link: id },
    },
  )
  if (!found) throw new ToolError(`The link ${code} is not there any more`)
  return { id, shown: { short_code: code, ...found } }
}

export const getLinkRules = defineTool({
  name: 'get_link_rules',
  title: 'Look at the rules of a link',
  description:
    'Shows the rules of one of the person’s links: which visitors it leads elsewhere than to its own destination. The first rule that holds wins. Changes nothing.',
  scopes: ['links:read'],
  effect: 'read',
  input: z.object({ short_code: codeInput }),
  output: shown,
  run: async (context, { short_code: code }) => (await readRules(context, code)).shown,
  summarize: ({ short_code: code, rules: list }) => `${code} has ${plural(list.length, 'rule')}.`,
})

export const saveLinkRules = defineTool({
  name: 'save_link_rules',
  title: 'Save the rules of a link',
  description:
    'Replaces all rules of one of the person’s links, if they have not changed since the version that get_link_rules gave. An empty list removes them: everyone then gets the link’s own destination.',
  scopes: ['links:read', 'links:write'],
  effect: 'change',
  input: z.object({
    short_code: codeInput,
    rules,
    version: z.int().min(0),
    ...expectationInput,
  }),
  output: shown,
  async run(context, { short_code: code, rules: wanted, version, ignore_expectations: ignores }) {
    const { id } = await findLink(context, code)
    await context.tables.ask('rpc/save_link_rules', {
      method: 'POST',
      body: { _link: id, _rules: wanted, _version: version },
      ignoresExpectations: ignores,
    })
    return (await readRules(context, code)).shown
  },
  summarize: ({ short_code: code, rules: list }) =>
    `${code} now has ${plural(list.length, 'rule')}.`,
})

const simulated = z.object({
  outcome: z.string().describe('redirect, interstitial, password, not_yet, ended, off, blocked, …'),
  address: z.string().nullable(),
  status: z.number().nullable(),
  popup_id: z.string().nullable(),
  rule_id: z.string().nullable(),
  variant_id: z.string().nullable(),
  skipped: z.array(z.object({ rule_id: z.string(), condition: z.number(), why: z.string() })),
})

export const simulateVisitTool = defineTool({
  name: 'simulate_visit',
  title: 'Simulate a visit',
  description:
    'Says where a visitor of one of the person’s links would get, which rule decides, and why those before it do not. Facts that are left out are not known. Counts and changes nothing.',
  scopes: ['links:read'],
  effect: 'read',
  input: z.object({
    short_code: codeInput,
    visit: z
      .object(simulatedVisit.shape)
      .describe(
        'For example {"country": "DE", "system": "ios", "in_app": "instagram", "languages": "de-AT,de;q=0.9", "at": "2026-12-24T18:00:00+01:00", "first_visit": false}.',
      ),
  }),
  output: simulated,
  async run(context, { short_code: code, visit }) {
    const { id } = await findLink(context, code)
    return context.tables.ask<z.output<typeof simulated>>('rpc/simulate_visit', {
      method: 'POST',
      body: { _link: id, _visit: visit },
    })
  },
  summarize: ({ outcome, address }) =>
    address === null ? `The visit ends with: ${outcome}.` : `The visit leads to ${address}.`,
})
