import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ShownImport } from '#domain/transfer/import-shapes.ts'
import { routes } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { Frame } from './import-frame.tsx'
import { ImportCheck } from './import-check.tsx'
import { ImportMapping } from './import-mapping.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportStart } from './import-start.tsx'
import { importQuery, ImportRefusedError } from './imports-query.ts'

const route = getRouteApi(routes.imports.path)

/** Moving in: choose a source, check the rows, and follow the job. */
export function ImportScreen() {
  useTitle('Import · Hoplet')
  const session = useSession()
  const { id } = route.useSearch()
  if (session.status !== 'signed-in') return <Frame title="Import">{null}</Frame>
  if (id === undefined) return <ImportStart userId={session.userId} />
  return <OneImport key={id} userId={session.userId} id={id} />
}

function OneImport({ userId, id }: { userId: string; id: string }) {
  const query = useQuery(importQuery(userId, id))
  const { data: shown, error } = query
  if (shown === undefined)
    return (
      <Frame title="Import">
        {error === null ? (
          <div aria-hidden className="h-96 animate-pulse rounded-2xl bg-sunken" />
        ) : (
          <StatePanel
            role="alert"
            title={
              error instanceof ImportRefusedError
                ? 'This import is not there any more'
                : 'The import could not be loaded'
            }
            action={
              <Link to={routes.imports.path} search={{}} className={buttonClass()}>
                All imports
              </Link>
            }
          />
        )}
      </Frame>
    )
  return <StateOfImport userId={userId} shown={shown} />
}

function StateOfImport({ userId, shown }: { userId: string; shown: ShownImport }) {
  if (shown.state !== 'ready') return <ImportProgress userId={userId} shown={shown} />
  if (shown.source === '') return <ImportMapping userId={userId} shown={shown} />
  return <ImportCheck key={shown.source} userId={userId} shown={shown} />
}
