import * as z from 'zod'
import { addressOfName } from '#domain/links/link-address.ts'
import { bioEntryKinds } from '#domain/bio/bio-form.ts'
import { looks, type LookId } from '#domain/bio/looks.ts'
import { platforms } from '#domain/bio/platforms.ts'
import {
  askFirst,
  confirmationInput,
  confirmationOutput,
  defineTool,
  onceDone,
  type ToolContext,
} from '../tool.ts'

const lookIds = looks.map(({ id }) => id) as [LookId, ...LookId[]]
const platformIds = platforms.map(({ id }) => id)

const storedLink = z.object({
  id: z.string(),
  kind: z.enum(bioEntryKinds),
  title: z.string(),
  url: z.string().describe('Empty for headers and dividers.'),
  is_visible: z.boolean(),
  image_url: z.string().nullable(),
  starts_at: z.string().nullable(),
  ends_at: z.string().nullable(),
})
const page = z.object({
  slug: z.string(),
  url: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  look: z.string(),
  popup_id: z.string().nullable(),
  visit_count: z
    .number()
    .nullable()
    .describe('Null when the account does not see visits.')
    .optional(),
  links: z.array(storedLink),
  social_links: z.array(z.object({ id: z.string(), platform: z.string(), url: z.string() })),
})

interface StoredPage {
  slug: string
  domain: string | null
  title: string
  description: string | null
  look: string
  popup_id: string | null
  visit_count?: number | null
  version: string
}
interface Entries {
  links: z.output<typeof storedLink>[]
  social_links: { id: string; platform: string; url: string; display_order: number }[]
}

const presentPage = (
  { linksUrl }: ToolContext,
  stored: Omit<StoredPage, 'version'>,
  entries: Entries,
): z.input<typeof page> => {
  const { slug, domain, title, description, look, popup_id, visit_count: visits } = stored
  return {
    slug,
    url: addressOfName(linksUrl, { name: slug, domain }),
    title,
    description,
    look,
    popup_id,
    ...(visits !== undefined && { visit_count: visits }),
    links: z.array(storedLink).parse(entries.links),
    social_links: entries.social_links.map(({ id, platform, url }) => ({ id, platform, url })),
  }
}

/** @returns undefined when the person has no page yet */
async function readPage({ tables, agent }: ToolContext) {
  const [found] = await tables.ask<
    (StoredPage & { bio_links: Entries['links']; bio_social_links: Entries['social_links'] })[]
  >('bio_pages', {
    query: {
      user_id: `eq.${agent.accountId}`,
      select:
        'slug,domain,title,description,look,popup_id,visit_count,version,bio_links(id,kind,title,url,is_visible,image_url,starts_at,ends_at,link_order),bio_social_links(id,platform,url,display_order)',
      'bio_links.order': 'link_order',
      'bio_social_links.order': 'display_order',
    },
  })
  if (!found) return undefined
  const { bio_links: links, bio_social_links: socialLinks, ...stored } = found
  return { stored, entries: { links, social_links: socialLinks } }
}

export const getBioPage = defineTool({
  name: 'get_bio_page',
  title: 'Look at the bio page',
  description:
    'Shows the person’s bio page: a public page with their links. Null when they have none. Changes nothing.',
  scopes: ['bio:read'],
  effect: 'read',
  input: z.object({}),
  output: z.object({ page: page.nullable() }),
  async run(context) {
    const found = await readPage(context)
    return { page: found ? presentPage(context, found.stored, found.entries) : null }
  },
  summarize: ({ page: shown }) =>
    shown
      ? `${shown.url} has ${shown.links.length} links and ${shown.social_links.length} social profiles.`
      : 'There is no bio page yet.',
})

const wantedEntry = {
  id: z.uuid().describe('Of an entry that is there, to keep its clicks.').optional(),
  is_visible: z.boolean().optional(),
  starts_at: z.iso.datetime({ offset: true }).nullable().optional(),
  ends_at: z.iso.datetime({ offset: true }).nullable().optional(),
}
// A save leaves out entries with a blank title or address.
const wantedTitle = z.string().regex(/\S/).max(200)
const wantedUrl = z.string().regex(/\S/).max(2_048)
const wantedLink = z.union([
  z.object({
    ...wantedEntry,
    kind: z.literal('link').optional(),
    title: wantedTitle,
    url: wantedUrl,
  }),
  z.object({ ...wantedEntry, kind: z.literal('header'), title: wantedTitle }),
  z.object({ ...wantedEntry, kind: z.literal('divider') }),
])
const wantedProfile = z.object({
  id: z.uuid().optional(),
  platform: z.enum(platformIds),
  url: wantedUrl,
})

export const editBioPage = defineTool({
  name: 'edit_bio_page',
  title: 'Edit the bio page',
  description:
    'Creates or changes the person’s public bio page. What is left out stays as it is. A list takes the place of the whole list that was there: an edit that would remove entries, or lead one elsewhere, changes nothing at first, but answers with them and a confirmation. Ask the person, then call again with it.',
  scopes: ['bio:read', 'bio:write'],
  effect: 'destroy',
  input: z.object({
    slug: z
      .string()
      .min(1)
      .max(50)
      .describe('The page’s address. Needed for a new page, and never changes.')
      .optional(),
    title: z.string().min(1).max(200).describe('Needed for a new page.').optional(),
    description: z.string().max(1_000).optional(),
    look: z.enum(lookIds).optional(),
    popup_id: z
      .uuid()
      .nullable()
      .describe('What visitors of the page see; null for none.')
      .optional(),
    links: z.array(wantedLink).max(100).describe('All links, in their order.').optional(),
    social_links: z.array(wantedProfile).max(50).describe('All profiles, in order.').optional(),
    ...confirmationInput,
  }),
  output: z.object({ ...confirmationOutput, page: page.optional() }),
  async run(context, { links, social_links: profiles, confirmation, ...fields }) {
    const before = await readPage(context)
    const removed = before ? removedBy(before.entries, { links, social_links: profiles }) : []
    const moved = before ? movedBy(before.entries, { links, social_links: profiles }) : []
    if (removed.length > 0 || moved.length > 0) {
      const about = { removed, moved, links, profiles, fields, version: before?.stored.version }
      const willDo = [
        ...(removed.length > 0
          ? [`This removes from the bio page, with their clicks: ${removed.join(', ')}.`]
          : []),
        ...(moved.length > 0
          ? [`This changes the addresses of the bio page: ${moved.join(', ')}.`]
          : []),
      ].join(' ')
      const first = askFirst(context, { tool: 'edit_bio_page', about }, confirmation, willDo)
      if (first) return first
    }
    const saved = await context.tables.ask<{ page: StoredPage } & Entries>('rpc/save_bio_page', {
      method: 'POST',
      body: {
        // Nobody has changed it since it was looked at.
        page: { ...fields, ...(before && { version: before.stored.version }) },
        ...(links && { links }),
        ...(profiles && { social_links: profiles }),
      },
    })
    return { status: 'done' as const, page: presentPage(context, saved.page, saved) }
  },
  summarize: onceDone(({ page: saved }) => `Saved ${saved?.url}.`),
})

/** Kept entries that a new list leads elsewhere, with both addresses. */
function movedBy(
  stored: Entries,
  wanted: {
    links?: z.output<typeof wantedLink>[] | undefined
    social_links?: z.output<typeof wantedProfile>[] | undefined
  },
): string[] {
  const before = new Map([...stored.links, ...stored.social_links].map(({ id, url }) => [id, url]))
  return [...(wanted.links ?? []), ...(wanted.social_links ?? [])].flatMap((one) => {
    const from = before.get(one.id ?? '')
    const to = 'url' in one ? one.url.trim() : ''
    return from === undefined || from === '' || from === to
      ? []
      : [`${JSON.stringify(from)} becomes ${JSON.stringify(to)}`]
  })
}

/** Names of the entries that a new list removes. */
function removedBy(
  { links, social_links: profiles }: Entries,
  wanted: {
    links?: z.output<typeof wantedLink>[] | undefined
    social_links?: z.output<typeof wantedProfile>[] | undefined
  },
): string[] {
  const lostLinks = lostOf(links, wanted.links, ({ kind, title, url }, one) => {
    const ofOne = [one.kind ?? 'link', 'title' in one && one.title, 'url' in one && one.url]
    return [kind, title, url].every((text, at) => text === (ofOne[at] || '').trim())
  })
  const lostProfiles = lostOf(
    profiles,
    wanted.social_links,
    ({ platform, url }, one) => platform === one.platform && url === one.url.trim(),
  )
  return [
    // In quotes: they are the words of a person, and no sentence for the agent.
    ...lostLinks.map(({ title, url }) => `${JSON.stringify(title)} (${JSON.stringify(url)})`),
    ...lostProfiles.map(({ platform, url }) => `${platform} (${JSON.stringify(url)})`),
  ]
}

/** Stored entries that are in no wanted one: each keeps one, by its id or else by the same content (api.save_bio_page). */
function lostOf<Stored extends { id: string }, Wanted extends { id?: string | undefined }>(
  stored: readonly Stored[],
  wanted: readonly Wanted[] | undefined,
  isSame: (entry: Stored, one: Wanted) => boolean,
): Stored[] {
  if (!wanted) return []
  const named = new Set(wanted.map(({ id }) => id))
  const lost = new Set(stored)
  for (const one of wanted) {
    const left = [...lost]
    const kept =
      left.find(({ id }) => id === one.id) ??
      left.find((entry) => !named.has(entry.id) && isSame(entry, one))
    if (kept) lost.delete(kept)
  }
  return [...lost]
}
