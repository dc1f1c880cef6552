import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { Button } from '#web/ui/button.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'

/** When a screen can't be shown at all: usually the server can't be reached. */
export function ErrorScreen({ reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <StatePanel
        role="alert"
        title="Something went wrong"
        action={
          <Button
            look="accent"
            onClick={() => {
              reset()
              void router.invalidate()
            }}
          >
            Try Again
          </Button>
        }
      >
        This page could not be loaded. Check your connection and try again.
      </StatePanel>
    </div>
  )
}
