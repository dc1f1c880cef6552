import {
  ErrorCode,
  type GetPromptResult,
  McpError,
  type Prompt,
} from '@modelcontextprotocol/sdk/types.js'
import { orThrow } from '../primitives/or-throw.ts'

type Given = Readonly<Record<string, string>>

interface Template extends Prompt {
  write(given: Given): string
}

const prompts: readonly Template[] = [
  {
    name: 'weekly_report',
    title: 'Report of the week',
    description: 'How the links did in the last seven days, compared with the week before.',
    write: () =>
      'Read the click reports of my account for the last 7 days and for the 7 days before (read_report): in total, by day, by target, by country and by referrer. Tell me in at most ten lines what changed, which links did best, and what is worth looking at. Name numbers only from the reports.',
  },
  {
    name: 'campaign_links',
    title: 'Links for a campaign',
    description: 'One short link per channel to the same page, told apart by UTM parameters.',
    arguments: [
      { name: 'destination', description: 'The page that all links lead to.', required: true },
      { name: 'campaign', description: 'The campaign’s name.', required: true },
      { name: 'channels', description: 'For example: newsletter, instagram, poster.' },
    ],
    write: ({ destination = '', campaign = '', channels = 'newsletter, social, print' }) =>
      `I need short links for the campaign "${campaign}" to ${destination}, one for each channel: ${channels}. For each, add utm_source, utm_medium and utm_campaign to the destination and suggest a short code that people can read. Show me the list first. When I agree, create the links with create_link and give me a table of channel, short link and destination.`,
  },
]

export function listPrompts(): Prompt[] {
  return prompts.map(({ write: _write, ...prompt }) => prompt)
}

/** @throws {McpError} for an unknown one, and for arguments that are missing or too long */
export function getPrompt(name: string, given: Given): GetPromptResult {
  const prompt = orThrow(
    prompts.find((one) => one.name === name),
    () => new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, 100)}`),
  )
  const missing = prompt.arguments?.find((one) => one.required && !given[one.name]?.trim())
  if (missing) throw new McpError(ErrorCode.InvalidParams, `${missing.name} is missing`)
  if (Object.values(given).some((text) => text.length > 2_048))
    throw new McpError(ErrorCode.InvalidParams, 'An argument is too long')
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text: prompt.write(given) } }],
  }
}
