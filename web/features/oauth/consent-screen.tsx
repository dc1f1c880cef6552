import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { authorizationQuery } from './authorization.ts'
import { ConsentCard } from './consent-card.tsx'

const route = getRouteApi(routes.oauthConsent.path)

/** Where an app sends a person to ask whether it may act for them. */
export function ConsentScreen() {
  const { authorization_id: id = '' } = route.useSearch()
  const session = useSession()
  const userId = session.status === 'signed-in' ? session.userId : undefined
  const request = useQuery({
    ...authorizationQuery(id, userId ?? ''),
    enabled: userId !== undefined && id !== '',
  })
  useTitle('Allow an app · Hoplet')

  if (id === '' || request.data?.kind === 'gone') {
    return (
      <Frame>
        <StatePanel
          role="alert"
          title="This request is no longer valid"
          action={
            <Link to={routes.home.path} className={buttonClass('plain')}>
              Back to Hoplet
            </Link>
          }
        >
          It has expired, was answered already, or belongs to another account. Go back to the app
          and start again there.
        </StatePanel>
      </Frame>
    )
  }
  if (request.isError) {
    return (
      <Frame>
        <StatePanel
          role="alert"
          title="The request could not be loaded"
          action={<Button onClick={() => void request.refetch()}>Try Again</Button>}
        >
          {request.error.message}
        </StatePanel>
      </Frame>
    )
  }
  if (request.data?.kind !== 'asked') return <Loading label="Loading" />
  return (
    <Frame>
      <ConsentCard details={request.data.details} />
    </Frame>
  )
}

function Frame({ children }: { children: React.ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-lg grow flex-col justify-center px-4 py-10 sm:py-16">
      {children}
    </div>
  )
}
