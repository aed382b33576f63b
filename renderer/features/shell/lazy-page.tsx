import type { AnyRoute, AnyRouter, BlockerFn, RouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadCode, OutdatedBuildError } from '../../lib/load-code.ts'
import { notifyFailed } from '../../lib/notify.ts'

/**
 * A page whose code is fetched when somebody goes there. The router's own `lazyRouteComponent` answers a failed fetch
 * with a reload, which during an outage trades the console for the browser's error page. (`unknown`, because the types of
 * the pages follow from those of the routes.)
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

/** Inside the frame, a page that can not be fetched leaves the present one, and what is typed there, as it is. */
export function blockUnloadablePages(router: AnyRouter, frame: AnyRoute) {
  const routesAt = (pathname: string): readonly AnyRoute[] => router.getMatchedRoutes(pathname)[0]
  const isOutOfReach: BlockerFn = async ({ currentLocation, nextLocation }) => {
    const routes = routesAt(nextLocation.pathname)
    if (!routes.includes(frame) || !routesAt(currentLocation.pathname).includes(frame)) return false
    try {
      await Promise.all(routes.map((route) => route.options.component?.preload?.()))
      return false
    } catch (error) {
      // A newer console is there: the page itself says so, and loads it.
      if (error instanceof OutdatedBuildError) return false
      notifyFailed('That page did not load')(error as Error)
      return true
    }
  }
  router.history.block({ blockerFn: isOutOfReach, enableBeforeUnload: false })
}
