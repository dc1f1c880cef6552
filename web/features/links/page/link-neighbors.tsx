import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { shownCode } from '#web/shown-link.ts'
import { iconButtonClass } from '#web/ui/button.tsx'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { loadedNeighbors } from '../links-query.ts'

/** The links above and below in the list that the person comes from; nothing without one. The keys are those of the list. */
export function LinkNeighbors({ userId, code }: { userId: string; code: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { above, below } = loadedNeighbors(client, userId, code)
  const open = (to: string | undefined) => {
    if (to !== undefined) void navigate({ to: routes.link.path, params: { code: to } })
  }
  useShortcuts({ j: () => open(below), k: () => open(above) })
  return (
    <div className="-my-1 ml-auto flex shrink-0">
      <Neighbor code={above} label="Link above" keys="k">
        <ArrowUp size={16} aria-hidden />
      </Neighbor>
      <Neighbor code={below} label="Link below" keys="j">
        <ArrowDown size={16} aria-hidden />
      </Neighbor>
    </div>
  )
}

interface NeighborProps {
  code: string | undefined
  label: string
  keys: string
  children: ReactNode
}

function Neighbor({ code, label, keys, children }: NeighborProps) {
  if (code === undefined) return null
  return (
    <Link
      to={routes.link.path}
      params={{ code }}
      aria-label={label}
      title={`${label}: ${shownCode(code)}`}
      aria-keyshortcuts={keys}
      className={iconButtonClass}
    >
      {children}
    </Link>
  )
}
