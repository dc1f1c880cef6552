import { useEffect, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { notifyError, type ToastText } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'

interface QueryPanelProps<Data> {
  query: {
    data: Data | undefined
    isError: boolean
    errorUpdatedAt: number
    refetch: () => Promise<unknown>
  }
  loading: string
  /** As high as what will come; without it the mark hops. */
  skeleton?: ReactNode
  failed: ToastText
  children: (data: Data) => ReactNode
}

/** What a query has brought, or that it is under way, or that it failed and can be tried again. */
export function QueryPanel<Data>({
  query,
  loading,
  skeleton,
  failed,
  children,
}: QueryPanelProps<Data>) {
  useEffect(() => {
    if (query.isError) notifyError(failed)
  }, [query.isError, query.errorUpdatedAt, failed])

  // What was read before an error stays.
  return (
    <>
      {query.data !== undefined ? children(query.data) : null}
      {query.isError ? (
        <StatePanel
          role="alert"
          title={failed.title}
          action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
        />
      ) : query.data !== undefined ? null : skeleton === undefined ? (
        <Loading label={loading} />
      ) : (
        <>
          <output className="sr-only">{loading}</output>
          {skeleton}
        </>
      )}
    </>
  )
}
