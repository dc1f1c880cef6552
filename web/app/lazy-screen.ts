import type { AsyncRouteComponent } from '@tanstack/react-router'
import { type ComponentType, createElement, use } from 'react'

/** The script of a screen did not come. */
export class ScreenLoadError extends Error {
  /** Lets the next render ask for the script again. */
  readonly forget: () => void
  constructor(cause: unknown, forget: () => void) {
    super('The script of a screen could not be loaded', { cause })
    this.forget = forget
  }
}

/**
 * A screen with a script that is loaded on demand. Unlike the router's own lazyRouteComponent it never reloads the page
 * by itself: without a network that would replace the app, and all input, with the browser's error page.
 */
export function lazyScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): AsyncRouteComponent<object> {
  let screen: ComponentType | undefined
  let failure: ScreenLoadError | undefined
  let loading: Promise<void> | undefined

  function preload(): Promise<void> {
    loading ??= load().then(
      (module) => {
        screen = module[name]
      },
      (error: unknown) => {
        failure = new ScreenLoadError(error, () => {
          failure = undefined
          loading = undefined
        })
      },
    )
    return loading
  }

  function LazyScreen() {
    if (failure !== undefined) throw failure
    if (screen === undefined) use(preload())
    return screen === undefined ? null : createElement(screen)
  }
  LazyScreen.preload = preload
  return LazyScreen
}
