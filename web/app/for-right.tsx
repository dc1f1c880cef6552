import type { AsyncRouteComponent } from '@tanstack/react-router'
import { createElement, Suspense } from 'react'
import { type Right, useKeptRight } from '../session/space/rights.ts'
import { spaceSlug } from '../space.ts'
import { lazyScreen } from './lazy-screen.ts'

const NotForRole = lazyScreen(() => import('../shell/not-for-role.tsx'), 'NotForRoleScreen')

/** A screen for people with a right; others read a sentence in its place. An open one stays when the right is taken away. */
export function forRight(
  right: Right,
  screen: AsyncRouteComponent<object>,
): AsyncRouteComponent<object> {
  if (spaceSlug === undefined) return screen
  function ScreenForRight() {
    const isAllowed = useKeptRight(right)
    return <Suspense>{createElement(isAllowed ? screen : NotForRole)}</Suspense>
  }
  return Object.assign(ScreenForRight, screen.preload && { preload: screen.preload })
}
