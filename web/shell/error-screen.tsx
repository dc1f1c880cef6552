import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { UnreachableError } from '#web/api/fetch-in-words.ts'
import { ScreenLoadError } from '#web/app/lazy-screen.ts'
import { Button } from '#web/ui/button.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { isScriptFailure, useMissingScript } from '#web/ui/hooks/use-missing-script.ts'
import { useOnline } from '#web/ui/hooks/use-online.ts'

/** In the place of a screen that cannot be shown: usually the server cannot be reached. The app around it stays. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOnline = useOnline()
  const isOutdated = useMissingScript()
  const isScreenError = error instanceof ScreenLoadError
  const isLoadError = isScreenError || isScriptFailure(error)

  useEffect(() => {
    if (isLoadError && isOnline) void reloadOnce()
  }, [isLoadError, isOnline, isOutdated])

  function tryAgain() {
    if (isLoadError && !isScreenError) return window.location.reload()
    if (isScreenError) error.forget()
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
        {textOf(isOnline, isLoadError || error instanceof UnreachableError)}
      </StatePanel>
    </div>
  )
}

function textOf(isOnline: boolean, isConnection: boolean): string {
  if (!isOnline) return 'You are offline. It will be loaded when you are back.'
  return isConnection
    ? 'This page could not be loaded. Check your connection and try again.'
    : 'This page could not be shown. Please try again.'
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
