import type { AnyRoute, AnyRouter, BlockerFn, RouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadCode, OutdatedBuildError } from '../../lib/load-code.ts'
import { notifyFailed } from '../../lib/notify.ts'

/**
 * A page whose code is loaded on navigation. The router's `lazyRouteComponent` reloads the page if that fails, which
 * during an outage shows the browser's error page. (`unknown`, because the types of the pages depend on those of the
 * routes.)
 */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, unknown>>, name: Name): RouteComponent {
  let Page: ComponentType | undefined
  const LazyPage: RouteComponent = () => Page && <Page />
  LazyPage.preload = () =>
    Page
      ? undefined
      : loadCode(load).then((code) => {
          Page = code[name] as ComponentType
        })
  return LazyPage
}

/** Loads the code of the page that is opened, while it is still asked who is signed in; a failure shows when it is needed. */
export function loadFirstPage(router: AnyRouter): void {
  const routes: readonly AnyRoute[] = router.getMatchedRoutes(router.latestLocation.pathname)[0]
  for (const route of routes) route.options.component?.preload?.()?.catch(() => {})
}

/** Blocks a navigation whose page cannot be loaded, so that the current page keeps its input. */
export function blockUnloadablePages(router: AnyRouter, frame: AnyRoute) {
  const routesAt = (pathname: string): readonly AnyRoute[] => router.getMatchedRoutes(pathname)[0]
  const isOutOfReach: BlockerFn = async ({ currentLocation, nextLocation }) => {
    const routes = routesAt(nextLocation.pathname)
    if (!routes.includes(frame) || !routesAt(currentLocation.pathname).includes(frame)) return false
    try {
      await Promise.all(routes.map((route) => route.options.component?.preload?.()))
      return false
    } catch (error) {
      // The console was updated: the page says so and reloads.
      if (error instanceof OutdatedBuildError) return false
      notifyFailed('The page didn’t load')(error as Error)
      return true
    }
  }
  router.history.block({ blockerFn: isOutOfReach, enableBeforeUnload: false })
}
