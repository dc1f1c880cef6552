import * as z from 'zod'
import { conditionValues } from '#domain/visits/condition-values.ts'
import { ruleBounds } from '#domain/visits/rules.ts'
import { ToolError } from '../tables.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { codeInput, findLink } from './links.ts'

const rule = z
  .looseObject({})
  .describe(
    `{"when": [conditions], and one of "to": address, "split": [{"to", "weight"}], "app": {"ios", "android", "fallback"}}. A condition is {"fact", "is": [values]} or {"fact", "is_not": [values]}; all must hold, and any of the values. Facts: ${Object.keys(conditionValues).join(', ')}. weekday and hours also have "zone" (Europe/Berlin), query has "name" and the values present, empty or =value. The last rule may be {"else": true, "split": […]}, where the first variant has no "to": it is the link’s own destination. Keep the ids that are there.`,
  )

const rules = z.array(rule).max(ruleBounds.rules)

const shown = z.object({
  short_code: z.string(),
  version: z.number().describe('For save_link_rules. 0: the link never had rules.'),
  rules: z.array(z.looseObject({ id: z.string() })),
})

async function readRules(context: ToolContext, code: string) {
  const { id } = await findLink(context, code)
  const found = await context.tables.ask<Omit<z.output<typeof shown>, 'short_code'> | null>(
    'rpc/link_rules',
    { method: 'POST', body: { _link: id } },
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
  summarize: ({ short_code: code, rules: list }) =>
    `${code} has ${list.length} ${list.length === 1 ? 'rule' : 'rules'}.`,
})

export const saveLinkRules = defineTool({
  name: 'save_link_rules',
  title: 'Save the rules of a link',
  description:
    'Replaces all rules of one of the person’s links, if they have not changed since the version that get_link_rules gave. An empty list removes them: everyone then gets the link’s own destination.',
  scopes: ['links:read', 'links:write'],
  effect: 'change',
  input: z.object({ short_code: codeInput, rules, version: z.int().min(0) }),
  output: shown,
  async run(context, { short_code: code, rules: wanted, version }) {
    const { id } = await findLink(context, code)
    await context.tables.ask('rpc/save_link_rules', {
      method: 'POST',
      body: { _link: id, _rules: wanted, _version: version },
    })
    return (await readRules(context, code)).shown
  },
  summarize: ({ short_code: code, rules: list }) =>
    `${code} now has ${list.length} ${list.length === 1 ? 'rule' : 'rules'}.`,
})
