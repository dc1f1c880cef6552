import { createRootRoute } from '@tanstack/react-router'
import { createElement, Suspense } from 'react'
import { AppShell } from '../shell/app-shell.tsx'
import { site } from '../site.ts'
import { sameAccountOnly } from './guards.ts'
import { lazyScreen } from './lazy-screen.ts'

/** Loaded on demand: it brings the texts of all pages for visitors with it. */
export const LazyNotFound = lazyScreen(
  () => import('../shell/not-found-screen.tsx'),
  'NotFoundScreen',
)

/** A screen that exists only where accounts have plans. */
export const ifPlans = <Component>(screen: Component) => (site.hasPlans ? screen : LazyNotFound)

export const root = createRootRoute({
  beforeLoad: sameAccountOnly,
  component: AppShell,
  // The router draws it without a Suspense boundary.
  notFoundComponent: () => createElement(Suspense, null, createElement(LazyNotFound)),
})

/** The options of every route. */
export const inRoot = { getParentRoute: () => root }
