import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { UnreachableError } from '#web/api/fetch-in-words.ts'
import { ScreenLoadError } from '#web/app/lazy-screen.ts'
import { Button } from '#web/ui/button.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { isScriptFailure, useMissingScript } from '#web/ui/hooks/use-missing-script.ts'
import { useOnline } from '#web/ui/hooks/use-online.ts'

/** The failure of a screen without a title, in the column of screens. */
export function UntitledErrorScreen(props: ErrorComponentProps) {
  return (
    <div className={`${columnClass} py-6 rail:pt-20`}>
      <ErrorScreen {...props} />
    </div>
  )
}

/** In the place of a screen that cannot be shown: usually the server cannot be reached. The app around it stays. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOnline = useOnline()
  const isOutdated = useMissingScript()
  const isScreenError = error instanceof ScreenLoadError
  const isLoadError = isScreenError || isScriptFailure(error)

  const [answers, setAnswers] = useState(false)
  useEffect(() => {
    if (isLoadError && isOnline) void reloadOnce().then(setAnswers)
  }, [isLoadError, isOnline, isOutdated])

  function tryAgain() {
    if (isLoadError && !isScreenError) return window.location.reload()
    if (isScreenError) error.forget()
    reset()
    void router.invalidate()
  }

  return (
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
      {textOf(isOnline, isLoadError || error instanceof UnreachableError, answers)}
    </StatePanel>
  )
}

function textOf(isOnline: boolean, isConnection: boolean, answers: boolean): string {
  if (isOnline && isConnection && answers)
    return 'The server answers, but not with this page. Please try again in a moment.'
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
 *
 * @returns whether the server answers
 */
async function reloadOnce(): Promise<boolean> {
  try {
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' })
    if (!ok || Date.now() - Number(sessionStorage.getItem(reloadedKey)) < reloadPauseMs) return true
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    window.location.reload()
    return true
  } catch {
    // The server cannot be reached, or storage is forbidden: the button remains.
    return false
  }
}
