import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { tagsQuery } from '#web/api/tags-query.ts'

/** More are in the filter of My Links. */
const maxTags = 8

/** The tags of the links, each as a way to its links. */
export function SidebarTags({ userId }: { userId: string }) {
  const tags = useQuery(tagsQuery(userId)).data ?? []
  if (tags.length === 0) return null
  return (
    <div className="max-lg:hidden">
      <h2 className="mb-1 px-2.5 text-xs text-ink-faint">Tags</h2>
      <ul className="grid gap-0.5">
        {tags.slice(0, maxTags).map(({ id, name, color }) => (
          <li key={id} className="min-w-0">
            <Link
              to={routes.dashboard.path}
              search={{ tag: name }}
              activeOptions={{ exact: true }}
              className="flex h-8 items-center gap-3.5 rounded-xl px-3 text-sm text-ink-soft transition-colors duration-150 hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink pointer-coarse:h-11"
            >
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-full"
                style={{ backgroundColor: color }}
              />
              <bdi className="truncate">{name}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
