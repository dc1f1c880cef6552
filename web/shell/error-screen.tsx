import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { connectionTexts } from '#domain/session-texts.ts'
import { ScreenLoadError } from '#web/lazy-screen.ts'
import { Button } from '#web/ui/button.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useOnline } from '#web/ui/use-online.ts'

/** In the place of a screen that cannot be shown: usually the server cannot be reached. The app around it stays. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOnline = useOnline()
  const isLoadError = error instanceof ScreenLoadError

  useEffect(() => {
    if (isLoadError && isOnline) void reloadOnce()
  }, [isLoadError, isOnline])

  function tryAgain() {
    if (isLoadError) error.forget()
    reset()
    void router.invalidate()
  }

  return (
    <div className={`${columnClass} py-6`}>
      <StatePanel
        isScreen
        role="alert"
        title={isLoadError ? connectionTexts.screenFailed : 'Something went wrong'}
        action={
          <Button look="accent" onClick={tryAgain}>
            Try Again
          </Button>
        }
      >
        {isOnline
          ? 'This page could not be loaded. Check your connection and try again.'
          : 'You are offline. It will be loaded when you are back.'}
      </StatePanel>
    </div>
  )
}

const reloadedKey = 'hoplet.reloaded'
const reloadPauseMs = 30_000

/**
 * A server that answers and does not have the script was updated since the app was loaded: its new app is fetched. Not
 * twice in a row, in case that is not the reason.
 */
async function reloadOnce(): Promise<void> {
  try {
    if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < reloadPauseMs) return
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' })
    if (!ok) return
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    window.location.reload()
  } catch {
    // The server cannot be reached, or storage is forbidden: the button remains.
  }
}
