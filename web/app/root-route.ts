import { createRootRoute } from '@tanstack/react-router'
import { AppShell } from '../shell/app-shell.tsx'
import { NotFoundScreen } from '../shell/not-found-screen.tsx'

export const root = createRootRoute({ component: AppShell, notFoundComponent: NotFoundScreen })

/** The options of every route. */
export const inRoot = { getParentRoute: () => root }
