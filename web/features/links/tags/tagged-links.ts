import { joinedTags } from '#web/tags/tag-names.ts'

interface Tagged {
  id: string
  tags: readonly string[]
}

/** Links that get the same list of tags, for one request. */
interface TagChange {
  ids: string[]
  tags: string[]
}

/** The new tags of links that lose some and get others; links that stay as they are need no request. */
export function tagChanges(
  links: readonly Tagged[],
  added: readonly string[],
  removed: ReadonlySet<string>,
): TagChange[] {
  const groups = new Map<string, TagChange>()
  for (const { id, tags: before } of links) {
    const kept = before.filter((name) => !removed.has(name))
    const tags = joinedTags(kept, added.join(','))
    if (JSON.stringify(tags) === JSON.stringify(before)) continue
    const key = JSON.stringify(tags)
    const group = groups.get(key) ?? { ids: [], tags }
    groups.set(key, { ...group, ids: [...group.ids, id] })
  }
  return [...groups.values()]
}

/** All tags of some links, by name. */
export function tagsOfLinks(links: readonly Tagged[]): string[] {
  return [...new Set(links.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b))
}
