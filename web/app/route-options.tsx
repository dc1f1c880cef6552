import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ErrorScreen } from '../shell/error-screen.tsx'
import { Loading } from '../ui/mark.tsx'
import { Screen } from '../ui/screen.tsx'

/** A search parameter as text. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** A screen before its script is here, while a guard waits for an answer, and when either fails. */
export const titled = (
  title: string,
  { before, content }: { before?: ReactNode; content?: ReactNode } = {},
) => ({
  pendingComponent: () => (
    <Screen title={title} before={before}>
      {content ?? <Loading label="Loading" />}
    </Screen>
  ),
  errorComponent: (props: ErrorComponentProps) => (
    <Screen title={title} before={before}>
      <ErrorScreen {...props} />
    </Screen>
  ),
})

/** Below its way back (features/admin/admin-page.tsx). */
export const titledForAdmins = (title: string) =>
  titled(title, { before: <div className="mb-1 h-9 pointer-coarse:h-11" /> })

/** The search parameter of a link that another browser has asked for. */
export const opened = ({ opened: where }: Record<string, unknown>): { opened?: 'elsewhere' } =>
  where === 'elsewhere' ? { opened: where } : {}
