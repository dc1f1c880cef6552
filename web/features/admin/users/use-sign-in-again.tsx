import { useState, type ReactNode } from 'react'
import { needsSignInAgain } from '#web/session/sign-in-again.ts'
import { SignInAgainDialog } from '#web/session/sign-in-again-dialog.tsx'
import { GivenUpError } from '../use-admin-mutation.ts'

interface Asking {
  resolve: () => void
  reject: (error: Error) => void
}

/** Runs an act. If the server requires a recent sign-in, asks for the password and runs the act again. */
export function useSignInAgain(): {
  withSignIn: <Result>(act: () => Promise<Result>) => Promise<Result>
  dialog: ReactNode
} {
  const [asking, setAsking] = useState<Asking>()

  async function withSignIn<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act()
    } catch (error) {
      if (!needsSignInAgain(error)) throw error
      await new Promise<void>((resolve, reject) => setAsking({ resolve, reject }))
      return await act()
    }
  }

  const dialog = (
    <SignInAgainDialog
      open={asking !== undefined}
      onSignedIn={() => {
        asking?.resolve()
        setAsking(undefined)
      }}
      onClose={() => {
        // Also after a sign-in, when the promise is settled long since.
        asking?.reject(new GivenUpError())
        setAsking(undefined)
      }}
    />
  )
  return { withSignIn, dialog }
}
